# SPDX-License-Identifier: Apache-2.0
"""Microsoft's msal for Python, unmodified, against our server."""
import msal
import requests

from baton_tests import (
    Application, Browser, Forms, administer, answer_device_code, clock_off, disabled, document, facts, graph, judged, run)

SCOPES = ["User.Read"]
REDIRECT = "http://localhost:1"
BROKER = "29d9ed98-a469-4536-ade2-f981bc1d605e"
REGISTRATION = "urn:ms-drs:enterpriseregistration.windows.net"


def application(client=None, **options):
    """Returns a new application, since each one keeps the documents and refusals that it got."""
    if "authority" not in options and "oidc_authority" not in options:
        options |= {"authority": f"{facts.login}/{facts.tenant}", "instance_discovery": False}
    return msal.PublicClientApplication(client or facts.client, **options)


def signed_in(app, browser=None, name="amara", scopes=None):
    """Signs in by code and PKCE, and returns msal's result."""
    flow = app.initiate_auth_code_flow(scopes or SCOPES, redirect_uri=REDIRECT)
    returned = (browser or Browser()).sign_in(flow["auth_uri"], REDIRECT, name)
    result = app.acquire_token_by_auth_code_flow(flow, returned)
    assert "access_token" in result, result
    return result


def is_amara(app, result):
    """Checks what msal does not check, and the account that msal stores. Returns the account."""
    assert graph(result["access_token"]).json()["userPrincipalName"] == facts.person("amara")
    said = judged(result["id_token"], facts.client, preferred_username=facts.person("amara"), tid=facts.tenant)
    account = app.get_accounts()[0]
    assert account["home_account_id"] == f"{said['oid']}.{facts.tenant}", account
    assert account["realm"] == facts.tenant and account["username"] == facts.person("amara"), account
    return account


def case_code():
    """Code with PKCE. msal handles state, nonce and PKCE; the rest is checked here."""
    app = application()
    is_amara(app, signed_in(app))


def case_form_post():
    app = application()
    flow = app.initiate_auth_code_flow(SCOPES, redirect_uri="https://app.test/cb", response_mode="form_post")
    returned = Browser().sign_in(flow["auth_uri"], "https://app.test/cb")
    is_amara(app, app.acquire_token_by_auth_code_flow(flow, returned))


def case_silent():
    """A silent request is answered from the cache, a forced request by the server, which replaces the token."""
    app = application()
    first = signed_in(app)
    account = is_amara(app, first)
    silent = app.acquire_token_silent_with_error(SCOPES, account)
    assert silent["token_source"] == "cache" and silent["access_token"] == first["access_token"], silent
    used = first["refresh_token"]
    forced = app.acquire_token_silent_with_error(SCOPES, account, force_refresh=True)
    assert forced["token_source"] == "identity_provider", forced
    assert forced["access_token"] != first["access_token"]
    assert graph(forced["access_token"]).status_code == 200
    again = app.acquire_token_silent_with_error(SCOPES, account, force_refresh=True)
    assert again["token_source"] == "identity_provider", again
    stored = app.token_cache.search(app.token_cache.CredentialType.REFRESH_TOKEN)
    assert [token["secret"] for token in stored] != [used], "the refresh token was not exchanged"


def case_refusals():
    """The errors that msal returns if the server refuses, and the answers that msal refuses itself."""
    app = application()
    flow = app.initiate_auth_code_flow(["Nothing.Known"], redirect_uri=REDIRECT)
    returned = Browser().open(flow["auth_uri"], REDIRECT)
    result = app.acquire_token_by_auth_code_flow(flow, returned)
    assert result["error"] == "invalid_scope", result
    flow = app.initiate_auth_code_flow(SCOPES, redirect_uri=REDIRECT)
    returned = Browser().sign_in(flow["auth_uri"], REDIRECT)
    stolen = application().acquire_token_by_auth_code_flow(
        flow | {"code_verifier": "x" * 43}, returned)
    assert stolen["error"] == "invalid_grant" and stolen["error_codes"] == [501481], stolen
    for changed in ({"state": "x"}, {"nonce": "x"}):
        try:
            fresh = app.initiate_auth_code_flow(SCOPES, redirect_uri=REDIRECT)
            app.acquire_token_by_auth_code_flow(
                fresh | changed, Browser().sign_in(fresh["auth_uri"], REDIRECT))
            raise AssertionError(f"msal took an answer with another {changed}")
        except (ValueError, RuntimeError):
            pass


def case_sign_out():
    """A sign-out at the document's end_session_endpoint ends the browser's session and all its tokens."""
    app, browser = application(), Browser()
    result = signed_in(app, browser)
    account = is_amara(app, result)
    answer = browser.session.get(
        document()["end_session_endpoint"],
        params={
            "id_token_hint": result["id_token"], "post_logout_redirect_uri": "https://app.test/cb", "state": "s"},
        allow_redirects=False)
    assert answer.headers["Location"] == "https://app.test/cb?state=s", answer.text
    assert graph(result["access_token"]).status_code == 401
    refused = app.acquire_token_silent_with_error(SCOPES, account, force_refresh=True)
    assert refused["error"] == "invalid_grant", refused
    app.remove_account(account)
    assert app.get_accounts() == []
    flow = app.initiate_auth_code_flow(SCOPES, redirect_uri=REDIRECT)
    assert browser.open(flow["auth_uri"], REDIRECT) is None, "still signed in"


def case_clock_skew():
    """A client clock that is wrong by a minute or a day prevents nothing: only the server's own clock counts."""
    for skew in (-86400, -60, 60, 86400):
        with clock_off(skew):
            app = application()
            account = is_amara(app, signed_in(app))
            forced = app.acquire_token_silent_with_error(SCOPES, account, force_refresh=True)
            assert forced["token_source"] == "identity_provider", (skew, forced)
            assert graph(forced["access_token"]).status_code == 200
    # With the right clock, msal treats a token that it stored under the slow clock as expired, and gets a new token.
    app = application()
    with clock_off(-86400):
        account = is_amara(app, signed_in(app))
    later = app.acquire_token_silent_with_error(SCOPES, account)
    assert later["token_source"] == "identity_provider", later


def case_disabled():
    """A disabled application and a disabled person get no tokens, and their existing tokens stop working."""
    app, browser = application(), Browser()
    result = signed_in(app, browser)
    account = is_amara(app, result)
    with disabled(f"tenants/-/clients/{facts.client}"):
        assert graph(result["access_token"]).status_code == 401
        refused = app.acquire_token_silent_with_error(SCOPES, account, force_refresh=True)
        assert refused["error"] == "unauthorized_client" and refused["error_codes"] == [7000112], refused
        flow = app.initiate_auth_code_flow(SCOPES, redirect_uri=REDIRECT)
        assert browser.open(flow["auth_uri"], REDIRECT) is None and "AADSTS7000112" in browser.page.text
    app = application()
    result = signed_in(app, name="bo")
    account = app.get_accounts()[0]
    with disabled(f"tenants/-/users/{facts.person('bo')}"):
        assert graph(result["access_token"]).status_code == 401
        refused = app.acquire_token_silent_with_error(SCOPES, account, force_refresh=True)
        assert refused["error"] == "invalid_grant", refused
        browser = Browser()
        browser.open(application().initiate_auth_code_flow(SCOPES, redirect_uri=REDIRECT)["auth_uri"], REDIRECT)
        assert browser.submit(REDIRECT, username=facts.person("bo"), password=facts.password) is None
        assert "AADSTS50126" in Forms(browser.page.text).alert


def case_wrong_audience():
    """A resource refuses another resource's token. A client gets tokens only for resources in its registration."""
    app = application(BROKER)
    result = signed_in(app, scopes=[f"{REGISTRATION}/.default"])
    refused = graph(result["access_token"])
    assert refused.status_code == 401, refused.text
    assert refused.json()["error"]["code"] == "InvalidAuthenticationToken", refused.text
    other = application()
    flow = other.initiate_auth_code_flow([f"{REGISTRATION}/.default"], redirect_uri=REDIRECT)
    returned = Browser().open(flow["auth_uri"], REDIRECT)
    assert returned["error"] == "invalid_grant" and "AADSTS65001" in returned["error_description"], returned


def case_instance_discovery():
    """Instance discovery at a host built into msal: for a host that msal does not know, and for one that it does."""
    app = application(authority=f"{facts.login.rsplit(':', 1)[0]}/{facts.tenant}")
    is_amara(app, signed_in(app))
    known = application(authority=f"https://login.microsoftonline.com/{facts.tenant}")
    account = is_amara(known, signed_in(known))
    assert account["environment"] == "login.microsoftonline.com", account
    # Our own name is an alias of this host, so a token cached under one name is used for the other.
    assert known.get_accounts() and known.acquire_token_silent(SCOPES, account)["token_source"] == "cache"
    common = application(authority="https://login.microsoftonline.com/common")
    is_amara(common, signed_in(common))
    try:
        application(authority=f"https://unknown.test/{facts.tenant}")
        raise AssertionError("msal took a host that nobody knows")
    except ValueError as error:
        assert "invalid_instance" in str(error), error


def case_oidc_authority():
    """msal uses the server as a plain OpenID provider, and compares the issuer with the address."""
    app = application(oidc_authority=f"{facts.login}/{facts.tenant}/v2.0")
    is_amara(app, signed_in(app))
    try:
        application(oidc_authority=f"https://login.microsoftonline.com/{facts.tenant}/v2.0")
        raise AssertionError("msal took another issuer")
    except ValueError as error:
        assert "issuer" in str(error), error


def case_device_code():
    app = application()
    flow = app.initiate_device_flow(SCOPES)
    assert "user_code" in flow and flow["interval"] == 1, flow
    pending = app.acquire_token_by_device_flow(flow, exit_condition=lambda flow: True)
    assert pending["error"] == "authorization_pending", pending
    answer_device_code(flow["verification_uri"], flow["user_code"])
    is_amara(app, app.acquire_token_by_device_flow(flow))


def confidential(client, credential):
    return msal.ConfidentialClientApplication(
        client, client_credential=credential, authority=f"{facts.login}/{facts.tenant}", instance_discovery=False)


def case_application():
    """A script that acts for itself: by a certificate, with which msal signs PS256, and by a key and a thumbprint, with
    which msal signs RS256."""
    application = Application()
    credentials = [
        {"private_key": application.key, "public_certificate": application.certificate},
        {"private_key": application.key, "thumbprint": application.thumbprint},
    ]
    for credential in credentials:
        refused = confidential(application.id, credential).acquire_token_for_client([application.scope])
        assert refused["error"] == "unauthorized_client" and refused["error_codes"] == [5000645], refused
    application.grant()
    for credential in credentials:
        app = confidential(application.id, credential)
        result = app.acquire_token_for_client([application.scope])
        assert result.get("token_source") == "identity_provider", result
        assert "refresh_token" not in result and result["expires_in"] == 3600, result
        application.is_own(result["access_token"])
        assert app.acquire_token_for_client([application.scope])["token_source"] == "cache"
        other = app.acquire_token_for_client(["https://graph.microsoft.com/.default"])
        assert other["error"] == "invalid_resource" and other["error_codes"] == [5000646], other
    with disabled(application.path):
        refused = confidential(application.id, credentials[0]).acquire_token_for_client([application.scope])
        assert refused["error"] == "unauthorized_client" and refused["error_codes"] == [7000112], refused
    secret = confidential(application.id, "a secret").acquire_token_for_client([application.scope])
    assert secret["error"] == "invalid_client" and secret["error_codes"] == [5000641], secret
    administer("DELETE", f"{application.path}/keys/{application.key_id}")
    for credential in credentials:
        refused = confidential(application.id, credential).acquire_token_for_client([application.scope])
        assert refused["error"] == "invalid_client" and refused["error_codes"] == [700027], refused


def case_password():
    """The password grant, which the operator has turned on here. msal asks for the user realm first."""
    app = application(authority=f"https://login.microsoftonline.com/{facts.tenant}")
    result = app.acquire_token_by_username_password(facts.person("amara"), facts.password, SCOPES)
    is_amara(app, result)
    fresh = application(authority=f"https://login.microsoftonline.com/{facts.tenant}")
    wrong = fresh.acquire_token_by_username_password(facts.person("amara"), "wrong", SCOPES)
    assert wrong["error"] == "invalid_grant" and wrong["error_codes"] == [50126], wrong


run(globals())
