# SPDX-License-Identifier: Apache-2.0
"""roadtx, unmodified, against our server: join, primary refresh tokens, tokens, leave.

Each case runs roadtx as a person at a terminal does, in its own folder, and checks what it wrote.
"""
import base64
import datetime
import functools
import hashlib
import hmac
import json
import os
import pathlib
import re
import sys
import tempfile
import time
import uuid

import jwt
import requests
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from roadtools.roadtx.main import main as roadtx_main

from baton_tests import code_tokens, disabled, facts, forked, graph, run

AZURE = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
BROKER = "29d9ed98-a469-4536-ade2-f981bc1d605e"
REGISTRATION = "urn:ms-drs:enterpriseregistration.windows.net"
GRAPH = "https://graph.microsoft.com"

home = None  # the folder of the running case


def roadtx(*arguments, works=True):
    """Runs roadtx as its own program does, in a separate process, and returns its output.

    Asserts that it succeeds or, if `works` is false, that it fails. If `works` is None, it may do either.
    """
    log = home / "roadtx.log"

    def command():
        os.chdir(home)
        sys.argv = ["roadtx", *arguments]
        sys.exit(roadtx_main())

    code = forked(log, command)
    said = log.read_text()
    assert works is None or (code == 0) == works, f"{arguments[0]}: {code}\n{said}"
    return said


def file(name):
    return home / name


def document_of(name):
    return json.loads(file(name).read_text())


def claims_of(token):
    return jwt.decode(token, options={"verify_signature": False})


def tokens(scope, name="amara"):
    """Gets the broker's tokens for a person, and stores them as roadtx does (`.roadtools_auth`)."""
    reply = code_tokens(BROKER, scope, name=name)
    kept = {
        "accessToken": reply["access_token"], "refreshToken": reply["refresh_token"], "tokenType": "Bearer",
        "tenantId": facts.tenant, "_clientId": BROKER, "expiresOn": "2099-01-01 00:00:00"}
    file(".roadtools_auth").write_text(json.dumps(kept))
    return kept


def join(name, kind=None, action="join", person="amara"):
    """Joins a device. Returns the certificate and the key that roadtx wrote."""
    tokens(REGISTRATION + "/.default", person)
    kind = ["--device-type", kind] if kind else []
    said = roadtx("device", "-a", action, "-n", name, "-c", f"{name}.pem", "-k", f"{name}.key", *kind)
    assert file(f"{name}.pem").exists(), said
    certificate = x509.load_pem_x509_certificate(file(f"{name}.pem").read_bytes())
    return certificate, load_pem_private_key(file(f"{name}.key").read_bytes(), None)


def prt_by_refresh_token(device, *more, name="amara", out="roadtx.prt"):
    """Gets a primary refresh token of the device by a new sign-in of the person."""
    tokens("", name)
    roadtx("prt", "-c", f"{device}.pem", "-k", f"{device}.key", "-r", "file", "-f", out, *more)
    return document_of(out)


def graph_token(*more, works=True):
    """Gets an access token for Graph by the stored primary refresh token. If `works` is false, returns the output."""
    if file(".roadtools_auth").exists():
        file(".roadtools_auth").unlink()
    said = roadtx("prtauth", "-c", "azcli", *more, works=works)
    return document_of(".roadtools_auth")["accessToken"] if works else said


def is_good(token, device):
    said = claims_of(token)
    assert said["aud"] == GRAPH and said["deviceid"] == device, said
    answer = graph(token)
    assert answer.status_code == 200 and answer.json()["userPrincipalName"] == facts.person("amara"), answer.text
    return said


def device_id(certificate):
    (attribute,) = certificate.subject
    assert attribute.oid == x509.NameOID.COMMON_NAME
    return str(uuid.UUID(attribute.value))


def judge(certificate, key, joined):
    """Checks a certificate's key, its issuer's unit (a GUID), its times, and the device, tenant and kind in it."""
    identifier = device_id(certificate)
    public = key.public_key()
    assert certificate.public_key().public_numbers() == public.public_numbers()
    (unit,) = certificate.issuer.get_attributes_for_oid(x509.NameOID.ORGANIZATIONAL_UNIT_NAME)
    uuid.UUID(unit.value)
    now = datetime.datetime.now(datetime.timezone.utc)
    assert certificate.not_valid_before_utc < now < certificate.not_valid_after_utc
    values = {e.oid.dotted_string.rpartition(".")[2]: e.value.value for e in certificate.extensions
              if e.oid.dotted_string.startswith("1.2.840.113556.1.5.284.")}
    assert values["2"] == b"\x04\x10" + uuid.UUID(identifier).bytes_le, values
    assert values["5"] == b"\x04\x10" + uuid.UUID(facts.tenant).bytes_le, values
    assert values["7"] == b"\x04\x01" + (b"1" if joined else b"0"), values


def case_forms():
    """Every kind of join that roadtx knows, and the registration of a personal device."""
    for kind in ("Windows", "MacOS", "Android"):
        certificate, key = join(f"{kind}-1".lower(), kind)
        judge(certificate, key, joined=True)
        assert isinstance(key, rsa.RSAPrivateKey)
    certificate, key = join("curve", "macos14")
    judge(certificate, key, joined=True)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    certificate, key = join("own", action="register")
    judge(certificate, key, joined=False)


def case_refused_join():
    """A token for another resource joins no device, neither through roadtx nor in a request of our own."""
    kept = tokens("User.Read")
    said = roadtx("device", "-a", "join", "-n", "x", "-c", "x.pem", "-k", "x.key")
    assert "Wrong token audience" in said and not file("x.pem").exists(), said
    answer = requests.post(
        "https://enterpriseregistration.windows.net/EnrollmentServer/device/?api-version=2.0", json={},
        headers={"Authorization": "Bearer " + kept["accessToken"]})
    assert answer.status_code == 401 and answer.json()["code"] == "authentication_required", answer.text


def case_refresh_token():
    """A primary refresh token by a refresh token, in both versions of the protocol, and its uses and renewals."""
    certificate, _ = join("tablet")
    identifier = device_id(certificate)
    for version in ([], ["-v3"]):
        prt = prt_by_refresh_token("tablet", *version)
        assert "." in prt["refresh_token"] and len(bytes.fromhex(prt["session_key"])) == 32
        offline = ["-s", f"{GRAPH}/.default openid offline_access"] if version else ["-r", "msgraph"]
        first = is_good(graph_token(*version, *offline), identifier)
        roadtx("prt", "-a", "renew", *version)
        renewed = document_of("roadtx.prt")
        assert renewed["refresh_token"] != prt["refresh_token"] and renewed["session_key"] == prt["session_key"]
        second = is_good(graph_token(*version, *offline), identifier)
        assert first["sid"] == second["sid"]
        old = ["--prt", prt["refresh_token"], "--prt-sessionkey", prt["session_key"]]
        said = graph_token(*version, *offline, *old, works=False)
        assert "AADSTS70000" in said, said


def case_password():
    """A primary refresh token by name and password, which the operator allows here. A wrong password gets none."""
    certificate, _ = join("tablet")
    person = ["-c", "tablet.pem", "-k", "tablet.key", "-u", facts.person("amara")]
    said = roadtx("prt", *person, "-p", "wrong password", works=False)
    assert "AADSTS50126" in said and not file("roadtx.prt").exists(), said
    roadtx("prt", *person, "-p", facts.password)
    is_good(graph_token("-r", "msgraph"), device_id(certificate))
    roadtx("prt", "-a", "renew")
    is_good(graph_token("-r", "msgraph"), device_id(certificate))


def case_own_key():
    """A person's own key (Windows Hello), registered in a session of the device, authenticates the person there."""
    certificate, _ = join("tablet")
    prt_by_refresh_token("tablet")
    graph_token("-c", BROKER, "-r", "drs", "-ru", f"ms-appx-web://Microsoft.AAD.BrokerPlugin/{BROKER}")
    said = roadtx("winhello", "-k", "own.key")
    assert facts.person("amara") in said, said
    roadtx("prt", "-c", "tablet.pem", "-k", "tablet.key", "-u", facts.person("amara"), "-hk", "own.key", "-f", "own.prt")
    said = is_good(graph_token("-r", "msgraph", "-f", "own.prt"), device_id(certificate))
    assert said["amr"] == ["swk"], said


def case_device_token():
    """A token of the device itself."""
    certificate, _ = join("tablet")
    roadtx("getdevicetokens", "-t", facts.tenant, "-c", "tablet.pem", "-k", "tablet.key", "--client", "azcli", "-r", "msgraph")
    token = document_of(".roadtools_auth")["accessToken"]
    said = claims_of(token)
    assert said["deviceid"] == device_id(certificate) and said["idtyp"] == "device", said
    assert not {"upn", "unique_name", "preferred_username", "name", "sid", "scp"} & said.keys(), said
    assert graph(token).status_code == 401


def case_leave():
    """A device leaves with its certificate, and its tokens stop working at once."""
    certificate, _ = join("tablet")
    join("other")
    prt_by_refresh_token("tablet")
    token = graph_token("-r", "msgraph")
    is_good(token, device_id(certificate))
    # Nothing is removed without a certificate or with the certificate of another device.
    address = f"https://enterpriseregistration.windows.net/EnrollmentServer/device/{device_id(certificate)}"
    assert requests.delete(address).status_code == 401
    stranger = requests.delete(address, cert=(str(file("other.pem")), str(file("other.key"))))
    assert stranger.status_code == 401, stranger.text
    said = roadtx("device", "-a", "delete", "-c", "tablet.pem", "-k", "tablet.key")
    assert "deleted" in said, said
    assert graph(token).status_code == 401
    assert "AADSTS70000" in graph_token("-r", "msgraph", works=False)
    tokens("")
    said = roadtx("prt", "-c", "tablet.pem", "-k", "tablet.key", "-r", "file", works=False)
    assert "AADSTS50155" in said, said


def signed(key, header, payload):
    return jwt.encode(payload, key, algorithm="RS256", headers=header)


def case_refused_requests():
    """What a thief, or a device with a wrong clock, would send, through roadtx or by hand."""
    certificate, key = join("tablet")
    join("other")
    prt = prt_by_refresh_token("tablet")
    wrong = ["--prt", prt["refresh_token"], "--prt-sessionkey", "00" * 32]
    assert "AADSTS50013" in graph_token("-r", "msgraph", *wrong, works=False)
    thief = prt_by_refresh_token("other", name="bo", out="bo.prt")
    crossed = ["--prt", prt["refresh_token"], "--prt-sessionkey", thief["session_key"]]
    assert "AADSTS50013" in graph_token("-r", "msgraph", *crossed, works=False)
    unknown = ["--prt", prt["refresh_token"][:-4] + "AAAA", "--prt-sessionkey", prt["session_key"]]
    assert "AADSTS70000" in graph_token("-r", "msgraph", *unknown, works=False)

    endpoint = "https://login.microsoftonline.com/common/oauth2/token"
    der = base64.b64encode(certificate.public_bytes(Encoding.DER)).decode()

    def nonce():
        return requests.post(endpoint, data={"grant_type": "srv_challenge"}).json()["Nonce"]

    def ask(nonce, refresh_token=None, signer=key, header=None, tampered=False):
        refresh_token = refresh_token or tokens("")["refreshToken"]
        request = signed(signer, header or {"x5c": der, "kdf_ver": 2}, {
            "client_id": BROKER, "request_nonce": nonce, "scope": "openid aza ugs", "grant_type": "refresh_token",
            "refresh_token": refresh_token})
        if tampered:
            head, body, signature = request.split(".")
            body = base64.urlsafe_b64encode(base64.urlsafe_b64decode(body + "==").replace(b"ugs", b"xyz")).decode()
            request = ".".join([head, body.rstrip("="), signature])
        answer = requests.post(endpoint, data={
            "windows_api_version": "2.2", "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "request": request})
        return answer, request

    answer, request = ask(nonce())
    assert answer.status_code == 200, answer.text
    again = requests.post(endpoint, data={
        "windows_api_version": "2.2", "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "request": request})
    assert again.json()["error_codes"] == [5000612], again.text
    assert ask("made up")[0].json()["error_codes"] == [5000611]
    assert ask(nonce(), tampered=True)[0].json()["error_codes"] == [50013]
    other = load_pem_private_key(file("other.key").read_bytes(), None)
    assert ask(nonce(), signer=other)[0].json()["error_codes"] == [50013]
    assert ask(nonce(), refresh_token="1.x.y")[0].json()["error_codes"] == [70000]
    # The device's clock does not matter, however wrong it is: the nonce carries the server's own time.
    skewed = signed(key, {"x5c": [der]}, {
        "client_id": BROKER, "request_nonce": nonce(), "scope": "openid aza", "grant_type": "refresh_token",
        "refresh_token": tokens("")["refreshToken"], "iat": 1, "exp": 2})
    answer = requests.post(endpoint, data={
        "windows_api_version": "2.0", "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "request": skewed})
    assert answer.status_code == 200, answer.text


def case_refused_people():
    """A disabled device, application or person gets no tokens. The device's and the person's tokens stop working."""
    certificate, _ = join("tablet")
    prt_by_refresh_token("tablet")
    token = graph_token("-r", "msgraph")
    is_good(token, device_id(certificate))
    with disabled(f"tenants/-/devices/{device_id(certificate)}"):
        assert graph(token).status_code == 401
        assert "AADSTS70000" in graph_token("-r", "msgraph", works=False)
        tokens("")
        said = roadtx("prt", "-c", "tablet.pem", "-k", "tablet.key", "-r", "file", works=False)
        assert "AADSTS135011" in said, said
    # An application. Disabling the broker stops every application.
    prt_by_refresh_token("tablet")
    graph_token("-r", "msgraph")
    for client in (AZURE, BROKER):
        with disabled(f"tenants/-/clients/{client}"):
            assert "AADSTS7000112" in graph_token("-r", "msgraph", works=False)
    token = graph_token("-r", "msgraph")
    is_good(token, device_id(certificate))
    # A person.
    with disabled(f"tenants/-/users/{facts.person('amara')}"):
        assert graph(token).status_code == 401
        assert "AADSTS70000" in graph_token("-r", "msgraph", works=False)


def case_clock_skew():
    """A device whose clock is two hours slow or fast gets tokens: the server judges freshness by its own nonces."""
    join("tablet")
    prt = prt_by_refresh_token("tablet")
    session_key = bytes.fromhex(prt["session_key"])
    endpoint = "https://login.microsoftonline.com/common/oauth2/v2.0/token"

    def nonce():
        return requests.post(endpoint, data={"grant_type": "srv_challenge"}).json()["Nonce"]

    for skew in (-7200, 7200):
        now = int(time.time()) + skew
        context = os.urandom(24)
        body = {
            "client_id": AZURE, "request_nonce": nonce(), "scope": f"{GRAPH}/.default", "iat": now, "exp": now + 300,
            "grant_type": "refresh_token", "refresh_token": prt["refresh_token"], "aud": "login.microsoftonline.com",
            "iss": "aad:brokerplugin"}
        payload = json.dumps(body).encode()
        derived = derive(session_key, hashlib.sha256(context + payload).digest())
        header = json.dumps({"alg": "HS256", "ctx": base64.b64encode(context).decode(), "kdf_ver": 2}).encode()
        signed_part = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in (header, payload))
        mac = base64.urlsafe_b64encode(hmac.digest(derived, signed_part, "sha256")).rstrip(b"=")
        answer = requests.post(endpoint, data={
            "prt_protocol_version": "3.0", "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "request": (signed_part + b"." + mac).decode()})
        assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("application/jose"), answer.text


def derive(key, context):
    """SP 800-108 in counter mode over HMAC-SHA256, one block, with the label of the protocol."""
    return hmac.digest(key, b"\0\0\0\1" + b"AzureAD-SecureConversation" + b"\0" + context + b"\0\0\1\0", "sha256")


def case_cookie():
    """The browser's credential, at both endpoints and with both key derivations. It works once."""
    certificate, _ = join("tablet")
    prt = prt_by_refresh_token("tablet")

    def cookie():
        return re.search(r"PRT cookie: (\S+)", roadtx("prtcookie"))[1]

    for more in (["-r", "msgraph"], ["-s", f"{GRAPH}/.default"]):
        roadtx("gettokens", "--prt-cookie", cookie(), "-c", "azcli", *more)
        is_good(document_of(".roadtools_auth")["accessToken"], device_id(certificate))
    used = cookie()
    roadtx("gettokens", "--prt-cookie", used, "-c", "azcli", "-r", "msgraph")
    file(".roadtools_auth").unlink()
    said = roadtx("gettokens", "--prt-cookie", used, "-c", "azcli", "-r", "msgraph", works=None)
    assert not file(".roadtools_auth").exists(), "a credential was good twice"
    assert "No authentication code was returned" in said, said
    for derivation in ([], ["--kdf-v1"]):
        roadtx("gettokens", "--prt", prt["refresh_token"], "--prt-sessionkey", prt["session_key"], *derivation, "-c",
               "azcli", "-r", "msgraph")
        is_good(document_of(".roadtools_auth")["accessToken"], device_id(certificate))


def in_own_folder(case):
    """Runs a case in a new folder, in which roadtx stores what it gets."""
    global home
    home = pathlib.Path(tempfile.mkdtemp(dir=facts.folder))
    case()


run({name: functools.partial(in_own_folder, case) for name, case in globals().items() if name.startswith("case_")})
