# SPDX-License-Identifier: Apache-2.0
"""GraphSpy, a tool for attacks on Entra ID, unmodified, against our server: what it should get, and what it must not.

Each case sends GraphSpy's own application the requests that its pages send. Only its web server is left out.
"""
import json
import pathlib
import tempfile
import urllib.parse

import jwt
from graphspy.app import create_app
from graphspy.db import migrations, schema

from baton_tests import PROOF_CHALLENGE, Browser, answer_device_code, code_tokens, document, facts, run

OFFICE = "d3590ed6-52b3-4102-aeff-aad2292ab01c"  # GraphSpy's default client
AZURE = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
BROKER = "29d9ed98-a469-4536-ade2-f981bc1d605e"
REGISTRATION = "urn:ms-drs:enterpriseregistration.windows.net"
GRAPH = "https://graph.microsoft.com"
REDIRECT = "http://localhost:1"


class GraphSpy:
    """GraphSpy with an empty database."""

    def __init__(self):
        folder = tempfile.mkdtemp(dir=facts.folder)
        database = str(pathlib.Path(folder) / "tests.db")
        schema.init_db(database)
        self.app = create_app(db_path=database, db_folder=folder)
        with self.app.app_context():
            migrations.update_db()
        self.pages = self.app.test_client()

    def ask(self, name, works=True, **form):
        """Sends a form of GraphSpy's pages and returns the answer."""
        answer = self.pages.post(f"/api/{name}", data=form)
        assert (answer.status_code < 400) == works, (name, answer.status_code, answer.text)
        return answer.json["data"] if works and answer.is_json else answer.text

    def rows(self, name):
        rows = json.loads(self.pages.get(f"/api/list_{name}").text)
        return rows["data"] if isinstance(rows, dict) else rows

    def phish(self, **form):
        """Requests a device code, has Amara type it into the page, and returns the status that GraphSpy shows."""
        code = self.ask("generate_device_code", **form)
        answer_device_code(f"{facts.login}/common/oauth2/deviceauth", code)
        self.app.config["device_code_thread"].join()
        return self.rows("device_codes")[-1]["status"]

    def token(self, number):
        return next(row["accesstoken"] for row in self.rows("access_tokens") if row["id"] == int(number))

    def me(self, number):
        """Graph's answer about the person of an access token."""
        said = self.pages.post("/api/generic_graph", data={"graph_uri": f"{GRAPH}/v1.0/me", "access_token_id": number})
        return json.loads(said.text)

    def is_amaras(self, number):
        assert self.me(number).get("userPrincipalName") == facts.person("amara"), self.me(number)

    def given(self, scope, name="amara"):
        """Gives GraphSpy the broker's tokens of a person. Returns the numbers of the access and the refresh token."""
        tokens = code_tokens(BROKER, scope, name=name)
        self.ask("add_access_token", accesstoken=tokens["access_token"])
        self.ask(
            "add_refresh_token", refreshtoken=tokens["refresh_token"], user=facts.person(name), tenant_domain=facts.tenant,
            resource=GRAPH, client_id=BROKER)
        return self.rows("access_tokens")[-1]["id"], self.rows("refresh_tokens")[-1]["id"]

    def access(self, number, works=True, **form):
        """Gets an access token by a primary refresh token. Returns its number or, if `works` is false, the error."""
        said = self.ask(
            "refresh_prt_to_access_token", works=works, prt_id=number, refresh_prt="false",
            **{"client_id": OFFICE} | form)
        return said["access_token_id"] if works else said

    def device(self):
        """Registers a device and returns its id."""
        access, _ = self.given(f"{REGISTRATION}/.default")
        return self.ask("register_device", access_token_id=access)["device_id"]


def case_device_code():
    """Device codes of both protocols, and the refresh of the tokens that they got."""
    spy = GraphSpy()
    for version in (1, 2):
        assert spy.phish(version=version) == "SUCCESS"
        spy.is_amaras(spy.rows("access_tokens")[-1]["id"])
        number = spy.rows("refresh_tokens")[-1]["id"]
        spy.is_amaras(spy.ask("refresh_to_access_token", refresh_token_id=number, api_version=version, store_refresh_token=1))


def case_family():
    """There are no families of clients: a refresh token of one application gets nothing for another."""
    spy = GraphSpy()
    assert spy.phish() == "SUCCESS"
    number = spy.rows("refresh_tokens")[-1]["id"]
    assert spy.rows("refresh_tokens")[-1]["foci"] == 0
    for version in (1, 2):
        said = spy.ask("refresh_to_access_token", works=False, refresh_token_id=number, client_id=AZURE, api_version=version)
        assert "AADSTS70000" in said, said
    spy.is_amaras(spy.ask("refresh_to_access_token", refresh_token_id=number))


def case_device_by_code():
    """A person who types an attacker's code gives away neither a device nor a primary refresh token."""
    spy = GraphSpy()
    said = spy.ask("generate_device_code", works=False, client_id=BROKER, resource=REGISTRATION)
    assert "AADSTS5000625" in said, said
    assert spy.phish(auto_action="device_prt") == "PARTIAL_SUCCESS"
    number = spy.rows("refresh_tokens")[-1]["id"]
    said = spy.ask("refresh_to_access_token", works=False, refresh_token_id=number, resource=REGISTRATION)
    assert "AADSTS5000626" in said, said
    assert spy.rows("device_certificates") == [] and spy.rows("primary_refresh_tokens") == []


def primary(spy, device):
    """Gets a primary refresh token for Amara on a device and returns its number."""
    _, refresh = spy.given("")
    return spy.ask("request_prt_for_device", device_id=device, refresh_token_id=refresh)["prt_id"]


def case_primary():
    """A primary refresh token gets tokens of both protocols, and gets nothing without its session key."""
    spy = GraphSpy()
    device = spy.device()
    number = primary(spy, device)
    for form in ({"resource": GRAPH}, {"api_version": 2, "scope": f"{GRAPH}/.default openid offline_access"}):
        access = spy.access(number, **form)
        spy.is_amaras(access)
        assert jwt.decode(spy.token(access), options={"verify_signature": False})["deviceid"] == device
    # GraphSpy renews with any client; our server renews only for a broker.
    said = spy.ask("refresh_prt_to_access_token", works=False, prt_id=number, client_id=OFFICE)
    assert "AADSTS700016" in said, said
    spy.ask("refresh_prt_to_access_token", prt_id=number, client_id=BROKER, resource=GRAPH)
    renewed = spy.rows("primary_refresh_tokens")[-1]["id"]
    assert renewed != number
    spy.is_amaras(spy.access(renewed))
    kept = next(row for row in spy.rows("primary_refresh_tokens") if row["id"] == renewed)
    stolen = spy.ask("import_prt", prt=kept["prt"], session_key="00" * 32)["prt_id"]
    said = spy.access(stolen, works=False)
    assert "AADSTS50013" in said, said
    # An ordinary refresh token does not work as a primary refresh token.
    tokens = code_tokens(BROKER, "")
    plain = spy.ask("import_prt", prt=tokens["refresh_token"], session_key=kept["session_key"])["prt_id"]
    said = spy.access(plain, works=False)
    assert "AADSTS70000" in said, said


def case_cookie():
    """A browser signs in with GraphSpy's cookie once. In another browser, the same cookie does not work."""
    spy = GraphSpy()
    number = primary(spy, spy.device())
    cookie = spy.ask("generate_prt_cookie", prt_id=number)["prt_cookie"]

    def opened():
        browser = Browser()
        browser.session.headers["x-ms-RefreshTokenCredential"] = cookie
        asked = urllib.parse.urlencode({
            "client_id": facts.client, "response_type": "code", "redirect_uri": REDIRECT, "scope": "openid User.Read",
            "code_challenge": PROOF_CHALLENGE, "code_challenge_method": "S256"})
        return browser.open(f"{document()['authorization_endpoint']}?{asked}", REDIRECT)

    returned = opened()
    assert returned and "code" in returned, returned
    assert opened() is None, "a cookie was good twice"


def case_own_key():
    """A person's own key on the device authenticates that person there, and nobody else."""
    spy = GraphSpy()
    device = spy.device()
    number = primary(spy, device)
    access = spy.access(number, client_id=BROKER, resource=REGISTRATION)
    key = spy.ask("register_winhello", access_token_id=access)["winhello_id"]
    again = spy.ask("winhello_to_prt", winhello_id=key)["prt_id"]
    spy.is_amaras(spy.access(again))
    said = spy.ask("winhello_to_prt", works=False, winhello_id=key, winhello_username=facts.person("bo"))
    assert "AADSTS135004" in said, said


run(globals())
