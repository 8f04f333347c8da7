# SPDX-License-Identifier: Apache-2.0
"""Sends a server every kind of secret through every interface, and records the secrets: a JSON object of names and
texts in canaries.json, and the same texts in careless.log, as a careless program would log them.
"""
import base64
import json
import os
import urllib.parse

import requests
from roadtools.roadlib.auth import Authentication
from roadtools.roadlib.deviceauth import DeviceAuthentication

from baton_tests import Browser, Forms, facts, graph, run

REDIRECT = "http://localhost:1"
BROKER = "29d9ed98-a469-4536-ade2-f981bc1d605e"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

canaries = {}


def keep(**texts):
    for name, text in texts.items():
        assert isinstance(text, str) and len(text) >= 6, name
        canaries[name] = text


def token(**form):
    answer = requests.post(f"{facts.login}/{facts.tenant}/oauth2/v2.0/token", data=form)
    return answer.status_code, answer.json()


def signed_in(client, scope, name, **proof):
    """Signs in at the page, and keeps the secrets that are sent: passwords, cookies, form token, code, tokens."""
    browser = Browser()
    query = {
        "client_id": client, "response_type": "code", "redirect_uri": REDIRECT, "scope": scope, "state": "canary-state",
        "nonce": "canary-nonce", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
    }
    address = f"{facts.login}/{facts.tenant}/oauth2/v2.0/authorize?{urllib.parse.urlencode(query)}"
    assert browser.open(address, REDIRECT) is None
    keep(**{f"{name}-csrf": Forms(browser.page.text).forms[0]["fields"]["csrf"]})
    wrong = f"wrong-password-of-{name}-{os.urandom(6).hex()}"
    keep(**{f"{name}-wrong-password": wrong})
    assert browser.submit(REDIRECT, username=facts.person("amara"), password=wrong) is None
    returned = browser.submit(REDIRECT, username=facts.person("amara"), password=facts.password)
    keep(**{f"{name}-code": returned["code"]})
    for cookie in browser.session.cookies:
        keep(**{f"{name}-cookie-{cookie.name}": cookie.value})
    status, tokens = token(
        grant_type="authorization_code", client_id=client, code=returned["code"], redirect_uri=REDIRECT,
        code_verifier=VERIFIER, **proof)
    assert status == 200, tokens
    keep_tokens(name, tokens)
    return tokens


def keep_tokens(name, tokens):
    for kind in ("access_token", "refresh_token", "id_token"):
        if kind in tokens:
            # No other text contains the signature.
            keep(**{f"{name}-{kind}": tokens[kind], f"{name}-{kind}-tail": tokens[kind][-40:]})


def ordinary():
    """Page, code, refresh, a code that is sent twice, Graph, a password; a client with a secret."""
    signed_in(facts.confidential, "openid offline_access User.Read", "web", client_secret=facts.client_secret)
    tokens = signed_in(facts.client, "openid profile offline_access User.Read", "app")
    assert graph(tokens["access_token"]).status_code == 200
    status, fresh = token(
        grant_type="refresh_token", client_id=facts.client, refresh_token=tokens["refresh_token"])
    assert status == 200, fresh
    keep_tokens("refreshed", fresh)
    status, refused = token(
        grant_type="authorization_code", client_id=facts.client, code=canaries["app-code"], redirect_uri=REDIRECT,
        code_verifier=VERIFIER)
    assert status == 400, refused
    status, refused = token(
        grant_type="refresh_token", client_id=facts.client, refresh_token="canary-refresh-" + os.urandom(9).hex())
    assert status == 400, refused
    assert graph(fresh["access_token"] + "x").status_code == 401
    assert token(grant_type="password", client_id=facts.client, scope="User.Read", username=facts.person("amara"),
                 password=facts.password)[0] == 200


def primary():
    """A device registers, gets a primary refresh token by name and password, and uses it."""
    tokens = signed_in(BROKER, "openid offline_access urn:ms-drs:enterpriseregistration.windows.net/.default", "drs")
    device = DeviceAuthentication(Authentication())
    certificate, key = (os.path.join(facts.folder, name) for name in ("device.pem", "device.key"))
    device.register_device(
        tokens["access_token"], jointype=4, certout=certificate, privout=key, device_type="macOS", device_name="TestDevice")
    device.loadcert(certificate, key)
    issued = device.get_prt_with_password(facts.person("amara"), facts.password)
    keep(prt=issued["refresh_token"], session_key=issued["session_key"])
    device.setprt(issued["refresh_token"], issued["session_key"])
    keep_tokens("prt-app", device.aad_brokerplugin_prt_auth(
        facts.client, "https://graph.microsoft.com", redirect_uri="https://app.test/cb"))


def careless():
    """Writes every secret, in one of five encodings, to a log. The search must find each of them."""
    lines = []
    for number, (name, text) in enumerate(canaries.items()):
        raw = text.encode()
        lines.append([
            raw, base64.b64encode(b"x" * (number % 3) + raw), urllib.parse.quote(text, safe="").encode(),
            json.dumps({"t": text}).encode(), raw.hex().encode(),
        ][number % 5])
    with open(os.path.join(facts.folder, "careless.log"), "wb") as file:
        file.write(b"\n".join(lines))


def case_told():
    keep(password=facts.password, new_password=facts.new_password, client_secret=facts.client_secret)
    ordinary()
    primary()
    careless()
    with open(os.path.join(facts.folder, "canaries.json"), "w", encoding="utf-8") as file:
        json.dump(canaries, file)


run(globals())
