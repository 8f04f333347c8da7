# SPDX-License-Identifier: Apache-2.0
"""pyoidc (`oic` on PyPI), a library for OpenID Connect, unmodified, against our server."""
import secrets

import requests
from oic.exception import ParameterError, PyoidcError, RequestError
from oic.oic import Client
from oic.oic.message import AccessTokenResponse, AuthorizationResponse, RegistrationResponse
from oic.utils.authn.client import CLIENT_AUTHN_METHOD

from baton_tests import Browser, Forms, facts, graph, judged, run

REDIRECT = "https://app.test/cb"


def relying_party(client=None, secret=None):
    """A relying party that knows our server only by its discovery document."""
    party = Client(
        client_authn_method=CLIENT_AUTHN_METHOD, config={"code_challenge": {"method": "S256", "length": 64}})
    party.provider_config(f"{facts.login}/{facts.tenant}/v2.0")
    known = {"client_id": client or facts.client, "redirect_uris": [REDIRECT]}
    party.store_registration_info(RegistrationResponse(**known | ({"client_secret": secret} if secret else {})))
    party.redirect_uris = [REDIRECT]
    return party


class SignIn:
    """One sign-in of a relying party: its request, and the redemption of the answer."""

    def __init__(self, party, **asked):
        self.party = party
        self.state = secrets.token_urlsafe(16)
        wanted = {
            "response_type": "code", "scope": ["openid", "profile", "offline_access", "User.Read"],
            "state": self.state, "nonce": secrets.token_urlsafe(16), "redirect_uri": REDIRECT} | asked
        challenge, self.proof_key = party.add_code_challenge()
        request = party.construct_AuthorizationRequest(request_args=wanted | challenge)
        self.address = request.request(party.authorization_endpoint)

    def redeemed(self, returned, **changes):
        answer = self.party.parse_response(AuthorizationResponse, info=returned, sformat="dict")
        arguments = {"code": answer["code"], "redirect_uri": REDIRECT, "code_verifier": self.proof_key}
        if not self.party.client_secret:
            arguments["client_id"] = self.party.client_id
        return self.party.do_access_token_request(
            state=answer["state"], authn_method="client_secret_basic" if self.party.client_secret else "",
            request_args=arguments | changes)


def refused(act, kind, cause=""):
    """Asserts that `act` raises an error of this kind whose text contains `cause`."""
    try:
        act()
    except kind as error:
        assert cause in str(error), error
    else:
        raise AssertionError("pyoidc took it")


def signed_in(party, browser=None):
    sign_in = SignIn(party)
    returned = (browser or Browser()).sign_in(sign_in.address, REDIRECT)
    return sign_in, returned, sign_in.redeemed(returned)


def case_code():
    """Discovery, code with PKCE, an id token that pyoidc checks, user information. The code works once."""
    party = relying_party()
    sign_in, returned, tokens = signed_in(party)
    assert isinstance(tokens, AccessTokenResponse), tokens
    said = judged(tokens["id_token_jwt"], facts.client, preferred_username=facts.person("amara"))
    known = party.do_user_info_request(method="GET", state=sign_in.state)
    assert known["sub"] == said["sub"] == tokens["id_token"]["sub"], known
    assert graph(tokens["access_token"]).json()["userPrincipalName"] == facts.person("amara")
    again = sign_in.redeemed(returned)
    assert again["error"] == "invalid_grant" and "AADSTS54005" in again["error_description"], again
    # If a code is sent twice, the tokens that it got are revoked.
    refused(lambda: party.do_user_info_request(method="GET", token=tokens["access_token"]), RequestError)
    assert graph(tokens["access_token"]).status_code == 401


def case_refusals():
    """A wrong code verifier, an id token for another request, another redirect URI, another issuer."""
    party, browser = relying_party(), Browser()
    sign_in = SignIn(party)
    returned = browser.sign_in(sign_in.address, REDIRECT)
    wrong = sign_in.redeemed(returned, code_verifier="x" * 64)
    assert wrong["error"] == "invalid_grant" and "AADSTS501481" in wrong["error_description"], wrong
    assert isinstance(sign_in.redeemed(returned), AccessTokenResponse), "the code was spoilt by a guess"

    swapped = SignIn(party)
    answer = browser.open(swapped.address, REDIRECT)
    party.state2nonce[swapped.state] = "of another request"
    refused(lambda: swapped.redeemed(answer), ParameterError)
    moved = SignIn(party)
    returned = browser.open(moved.address, REDIRECT)
    other = moved.redeemed(returned, redirect_uri="http://localhost:1")
    assert other["error"] == "invalid_grant" and "AADSTS500112" in other["error_description"], other
    stranger = Client(client_authn_method=CLIENT_AUTHN_METHOD)
    refused(
        lambda: stranger.provider_config(f"https://login.microsoftonline.com/{facts.tenant}/v2.0"), PyoidcError, "issuer")


def case_secret():
    """A relying party authenticates with a secret; with a wrong secret it gets nothing."""
    party = relying_party(facts.web_client, facts.secret)
    browser = Browser()
    sign_in, returned, tokens = signed_in(party, browser)
    judged(tokens["id_token_jwt"], facts.web_client, preferred_username=facts.person("amara"))
    thief = relying_party(facts.web_client, "wrong")
    stolen = SignIn(thief)
    answer = stolen.redeemed(browser.open(stolen.address, REDIRECT))
    assert answer["error"] == "invalid_client" and "AADSTS7000215" in answer["error_description"], answer


def case_refresh():
    """A refresh token gets new tokens, but not for another client."""
    party = relying_party()
    sign_in, returned, tokens = signed_in(party)
    fresh = party.do_access_token_refresh(state=sign_in.state, request_args={"client_id": facts.client})
    assert isinstance(fresh, AccessTokenResponse), fresh
    assert fresh["refresh_token"] != tokens["refresh_token"] and fresh["access_token"] != tokens["access_token"]
    assert graph(fresh["access_token"]).status_code == 200
    stolen = requests.post(party.token_endpoint, auth=(facts.web_client, facts.secret), data={
        "grant_type": "refresh_token", "refresh_token": fresh["refresh_token"]})
    assert stolen.json()["error_codes"] == [70000], stolen.text


def case_end_session():
    """pyoidc's request ends the session and its tokens. The server redirects only to the relying party's address."""
    party, browser = relying_party(), Browser()
    sign_in, returned, tokens = signed_in(party, browser)

    def leave(address):
        request = party.construct_EndSessionRequest(
            state=sign_in.state,
            request_args={"post_logout_redirect_uri": address, "state": sign_in.state,
                          "id_token_hint": tokens["id_token_jwt"]})
        return browser.open(request.request(party.end_session_endpoint), REDIRECT)

    assert leave("https://elsewhere.test/cb") is None
    assert leave(REDIRECT)["state"] == sign_in.state
    refused = party.do_access_token_refresh(state=sign_in.state, request_args={"client_id": facts.client})
    assert refused["error"] == "invalid_grant", refused
    assert graph(tokens["access_token"]).status_code == 401
    assert browser.open(SignIn(party).address, REDIRECT) is None and "password" in Forms(
        browser.page.text).forms[0]["fields"], "still signed in"


run(globals())
