# SPDX-License-Identifier: Apache-2.0
"""A web application in Flask that uses Authlib as its documentation says, against our server."""
import flask
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth

from baton_tests import Browser, clock_off, document, facts, judged, run

REDIRECT = "https://app.test/cb"


def application(**options):
    """A relying party: discovery, code with PKCE, nonce, and an id token that Authlib checks."""
    app = flask.Flask(__name__)
    app.secret_key = "of this test alone"
    oauth = OAuth(app)
    settings = {
        "client_id": facts.client,
        "server_metadata_url": f"{facts.login}/{facts.tenant}/v2.0/.well-known/openid-configuration",
        "client_kwargs": {
            "scope": "openid profile email", "code_challenge_method": "S256", "token_endpoint_auth_method": "none"},
    } | options
    oauth.register("baton", **settings)

    @app.get("/login")
    def login():
        return oauth.baton.authorize_redirect(REDIRECT, **flask.request.args)

    @app.get("/cb")
    def callback():
        token = oauth.baton.authorize_access_token()
        flask.session["who"] = token["userinfo"]["preferred_username"]
        return {"claims": token["userinfo"], "token": token, "userinfo": oauth.baton.userinfo(token=token)}

    @app.get("/who")
    def who():
        return {"who": flask.session.get("who")}

    return app.test_client()


def signed_in(client, browser, name="amara", **asked):
    """Signs in at the application as a person does, and returns the application's answer."""
    begun = client.get("/login", query_string=asked)
    returned = browser.sign_in(begun.headers["Location"], REDIRECT, name)
    return client.get("/cb", query_string=returned)


def case_sign_in():
    client, browser = application(), Browser()
    answer = signed_in(client, browser)
    assert answer.status_code == 200, answer.text
    known = answer.json
    said = judged(known["token"]["id_token"], facts.client, preferred_username=facts.person("amara"))
    assert known["claims"]["sub"] == said["sub"] and "nonce" in said
    assert client.get("/who").json == {"who": facts.person("amara")}
    assert known["userinfo"]["sub"] == said["sub"], known["userinfo"]
    # The second sign-in shows no page.
    again = application()
    returned = browser.open(again.get("/login").headers["Location"], REDIRECT)
    assert again.get("/cb", query_string=returned).json["claims"]["sub"] == said["sub"]


def case_mix_up():
    """Authlib refuses an answer that belongs to another browser, and an answer that it gets twice."""
    browser = Browser()
    first = application()
    returned = browser.sign_in(first.get("/login").headers["Location"], REDIRECT)
    assert returned["iss"] == document()["issuer"], returned
    other = application()
    other.get("/login")

    def refused(client, query):
        try:
            return client.get("/cb", query_string=query).status_code >= 400
        except OAuthError:
            return True
        except Exception as error:  # Authlib's own checks raise their own errors.
            return type(error).__module__.startswith(("authlib", "joserfc"))

    for client in (first, other):
        client.application.config["PROPAGATE_EXCEPTIONS"] = True
    assert refused(other, returned), "another browser's answer was taken"
    # The refused answer has not used up the code, but its state works only once.
    assert first.get("/cb", query_string=returned).status_code == 200
    assert refused(first, returned), "the same answer was taken twice"


def case_clock_skew():
    """A clock that is a minute off does not matter. If it is hours off, our id tokens look expired or not yet valid."""
    for skew in (-60, 60):
        with clock_off(skew):
            assert signed_in(application(), Browser()).status_code == 200, skew
    for skew in (-7200, 7200):
        client = application()
        client.application.config["PROPAGATE_EXCEPTIONS"] = True
        with clock_off(skew):
            try:
                assert signed_in(client, Browser()).status_code >= 400, skew
            except AssertionError:
                raise
            except Exception as error:
                assert type(error).__module__.startswith(("authlib", "joserfc")), error


def case_sign_out():
    client, browser = application(), Browser()
    known = signed_in(client, browser).json
    found = document()
    answer = browser.session.get(
        found["end_session_endpoint"],
        params={
            "id_token_hint": known["token"]["id_token"], "client_id": facts.client,
            "post_logout_redirect_uri": REDIRECT, "state": "out"},
        allow_redirects=False)
    assert answer.headers["Location"] == f"{REDIRECT}?state=out", answer.text
    refused = requests.get(
        found["userinfo_endpoint"], headers={"Authorization": f"Bearer {known['token']['access_token']}"})
    assert refused.status_code == 401, refused.text
    assert browser.open(application().get("/login").headers["Location"], REDIRECT) is None


def case_prompts():
    """The application asks for a prompt, the person answers it, and the id token shows the result."""
    client, browser = application(), Browser()
    first = signed_in(client, browser).json["claims"]
    silent = application()
    returned = browser.open(silent.get("/login?prompt=none").headers["Location"], REDIRECT)
    assert silent.get("/cb", query_string=returned).json["claims"]["sid"] == first["sid"]
    again = signed_in(application(), browser, prompt="login").json["claims"]
    assert again["sid"] != first["sid"] and again["auth_time"] >= first["auth_time"]
    nobody = application()
    returned = Browser().open(nobody.get("/login?prompt=none").headers["Location"], REDIRECT)
    assert returned["error"] == "login_required", returned
    asked = application()
    assert browser.open(asked.get("/login?prompt=consent").headers["Location"], REDIRECT) is None
    returned = browser.submit(REDIRECT, choice="no")
    assert returned["error"] == "access_denied", returned


def case_secret():
    """The application authenticates with its secret, in the header and in the form. A wrong secret gets nothing."""
    browser = Browser()
    for method in ("client_secret_basic", "client_secret_post"):
        assert method in document()["token_endpoint_auth_methods_supported"]
        kwargs = {"scope": "openid profile", "code_challenge_method": "S256", "token_endpoint_auth_method": method}
        named = {"client_id": facts.web_client, "client_kwargs": kwargs}
        client = application(client_secret=facts.secret, **named)
        begun = client.get("/login").headers["Location"]
        returned = browser.open(begun, REDIRECT) or browser.submit(
            REDIRECT, username=facts.person("amara"), password=facts.password)
        known = client.get("/cb", query_string=returned).json
        judged(known["token"]["id_token"], facts.web_client, preferred_username=facts.person("amara"))
        for secret in ("wrong", None):
            other = application(client_secret=secret, **named)
            returned = browser.open(other.get("/login").headers["Location"], REDIRECT)
            try:
                answer = other.get("/cb", query_string=returned)
                assert answer.status_code >= 400, "a wrong secret was taken"
            except OAuthError as error:
                assert error.error == "invalid_client", error


run(globals())
