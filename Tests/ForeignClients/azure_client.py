# SPDX-License-Identifier: Apache-2.0
"""Microsoft's azure-identity for Python, unmodified, against our server."""
import threading
import types
import urllib.parse
import warnings
import webbrowser

import requests
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import (
    AuthenticationRecord, AuthorizationCodeCredential, CertificateCredential, ClientSecretCredential,
    DeviceCodeCredential, InteractiveBrowserCredential, UsernamePasswordCredential)

from baton_tests import Application, Browser, answer_device_code, document, facts, graph, run

GRAPH = "https://graph.microsoft.com/User.Read"
REDIRECT = "http://localhost:1"


def at_ours(**options):
    """The options with which a program uses our server: its address, its tenant, and no instance discovery."""
    return {"authority": facts.login, "tenant_id": facts.tenant, "disable_instance_discovery": True} | options


def refused(act):
    """Asserts that azure-identity gets no token, and returns the text of its error."""
    try:
        act()
    except ClientAuthenticationError as error:
        return str(error)
    raise AssertionError("azure-identity got a token")


def is_amaras(token):
    """Asserts that Graph accepts the token as Amara's, and that device registration refuses it."""
    answer = graph(token)
    assert answer.json().get("userPrincipalName") == facts.person("amara"), answer.text
    stray = requests.post(
        f"{facts.registration}/EnrollmentServer/device?api-version=1.0", json={},
        headers={"Authorization": f"Bearer {token}"})
    assert stray.status_code == 401, stray.text


def case_device_code():
    """A code that a person types elsewhere, a silent request, the record of the account, and a person who says no."""
    asked = []

    def shown(address, code, until):
        asked.append(code)
        answer_device_code(address, code)

    credential = DeviceCodeCredential(facts.client, prompt_callback=shown, **at_ours())
    record = credential.authenticate(scopes=[GRAPH])
    first = credential.get_token(GRAPH)
    is_amaras(first.token)
    assert credential.get_token(GRAPH).token == first.token and len(asked) == 1, asked
    kept = AuthenticationRecord.deserialize(record.serialize())
    assert kept.username == facts.person("amara") and kept.tenant_id == facts.tenant, record.serialize()
    assert kept.home_account_id.endswith("." + facts.tenant), kept.home_account_id

    def declined(address, code, until):
        answer_device_code(address, code, choice="no")

    said = refused(lambda: DeviceCodeCredential(facts.client, prompt_callback=declined, **at_ours()).get_token(GRAPH))
    assert "AADSTS65004" in said, said


def case_browser():
    """The machine's browser, which returns to a port on which azure-identity listens."""
    pages = []

    def opened(address, *rest):
        pages.append(address)
        threading.Thread(target=come_back, args=[address], daemon=True).start()
        return True

    def come_back(address):
        target = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))["redirect_uri"]
        returned = Browser().sign_in(address, target)
        home = requests.Session()
        home.trust_env = False  # the proxy connects only to our server
        home.get(target, params=returned)

    webbrowser.open = opened
    webbrowser.get = lambda *rest: types.SimpleNamespace(open=opened)
    credential = InteractiveBrowserCredential(client_id=facts.client, timeout=60, **at_ours())
    token = credential.get_token(GRAPH).token
    is_amaras(token)
    assert credential.get_token(GRAPH).token == token and len(pages) == 1
    stranger = InteractiveBrowserCredential(client_id=facts.client, timeout=60, **at_ours(tenant_id=facts.client))
    assert "authority configuration" in refused(lambda: stranger.get_token(GRAPH)) and len(pages) == 1


def code_request():
    """The sign-in address of the web application, without PKCE."""
    asked = {
        "client_id": facts.web_client, "response_type": "code", "redirect_uri": REDIRECT,
        "scope": f"openid profile offline_access {GRAPH}"}
    return f"{document()['authorization_endpoint']}?{urllib.parse.urlencode(asked)}"


def by_code(code, secret=None, **changes):
    options = {"client_id": facts.web_client, "redirect_uri": REDIRECT, "authority": facts.login} | changes
    return AuthorizationCodeCredential(
        facts.tenant, authorization_code=code, client_secret=secret or facts.secret, **options)


def case_code_without_proof_key():
    """azure-identity does not use PKCE, so our server gives it no code."""
    returned = Browser().open(code_request(), REDIRECT)
    assert returned["error"] == "invalid_request" and "AADSTS9002325" in returned["error_description"], returned


def case_code():
    """A code without PKCE, which the operator allows here. It works once, with the right secret and address."""
    returned = Browser().sign_in(code_request(), REDIRECT)
    assert "AADSTS7000215" in refused(lambda: by_code(returned["code"], secret="wrong").get_token(GRAPH))
    said = refused(lambda: by_code(returned["code"], redirect_uri="http://localhost:2").get_token(GRAPH))
    assert "AADSTS500112" in said, said
    credential = by_code(returned["code"])
    first = credential.get_token(GRAPH)
    is_amaras(first.token)
    assert credential.get_token(GRAPH).token == first.token
    said = refused(lambda: by_code(returned["code"]).get_token(GRAPH))
    assert "AADSTS54005" in said, said
    # If a code is sent twice, the tokens that it got are revoked.
    assert graph(first.token).status_code == 401


def case_application():
    """A program without a person, for which our server issues tokens only by a key, and only for administration."""
    own = {"authority": facts.login, "disable_instance_discovery": True}
    credential = ClientSecretCredential(facts.tenant, facts.web_client, facts.secret, **own)
    said = refused(lambda: credential.get_token("https://graph.microsoft.com/.default"))
    assert "AADSTS5000641" in said, said
    application = Application()
    application.grant()
    data = (application.key + application.certificate).encode()
    by_key = CertificateCredential(facts.tenant, application.id, certificate_data=data, **own)
    application.is_own(by_key.get_token(application.scope).token)
    said = refused(lambda: by_key.get_token("https://graph.microsoft.com/.default"))
    assert "AADSTS5000646" in said, said


def password(word, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # azure-identity has deprecated this class
        return UsernamePasswordCredential(facts.client, facts.person("amara"), word, **at_ours(**options))


def case_password_refused():
    """The password grant is refused, with the right and a wrong password, unless the operator turns it on."""
    for word in (facts.password, "wrong"):
        said = refused(lambda: password(word).get_token(GRAPH))
        assert "AADSTS70003" in said, said


def case_password():
    credential = password(facts.password)
    is_amaras(credential.get_token(GRAPH).token)
    assert "AADSTS50126" in refused(lambda: password("wrong").get_token(GRAPH))


def case_authority():
    """The built-in authority, our own name (which azure-identity checks with the built-in one), and an unknown name."""
    def shown(address, code, until):
        answer_device_code(address, code)

    for options in ({}, {"authority": facts.login.rsplit(":", 1)[0]}, {"tenant_id": "organizations"}):
        known = {"tenant_id": facts.tenant} | options
        is_amaras(DeviceCodeCredential(facts.client, prompt_callback=shown, **known).get_token(GRAPH).token)
    stranger = DeviceCodeCredential(
        facts.client, prompt_callback=shown, authority="https://unknown.test", tenant_id=facts.tenant)
    assert "not well-known" in refused(lambda: stranger.get_token(GRAPH))


run(globals())
