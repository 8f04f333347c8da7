# SPDX-License-Identifier: Apache-2.0
"""msal for Python, as Microsoft published it, against a server of ours."""
import msal

from baton_tests import Browser, facts, graph, judged, run

SCOPES = ["User.Read"]
REDIRECT = "http://localhost:1"


def application(**options):
    """A new application, since msal remembers documents and refusals for the life of one."""
    options = {"authority": f"{facts.login}/{facts.tenant}", "instance_discovery": False} | options
    return msal.PublicClientApplication(facts.client, **options)


def signed_in(app, browser=None, name="amara"):
    """Signs in by code and proof key, and returns msal's result."""
    flow = app.initiate_auth_code_flow(SCOPES, redirect_uri=REDIRECT)
    returned = (browser or Browser()).sign_in(flow["auth_uri"], REDIRECT, name)
    result = app.acquire_token_by_auth_code_flow(flow, returned)
    assert "access_token" in result, result
    return result


def case_code():
    """Code with proof key; msal checks state, nonce and proof key, the rest is checked here."""
    app = application()
    result = signed_in(app)
    assert graph(result["access_token"]).json()["userPrincipalName"] == facts.person("amara")
    said = judged(result["id_token"], facts.client, preferred_username=facts.person("amara"), tid=facts.tenant)
    account = app.get_accounts()[0]
    assert account["home_account_id"] == f"{said['oid']}.{facts.tenant}", account
    assert account["realm"] == facts.tenant and account["username"] == facts.person("amara"), account


run(globals())
