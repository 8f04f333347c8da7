# SPDX-License-Identifier: Apache-2.0
"""Shared by the scripts of this folder: the facts of the server under test, a browser that runs no scripts, and a check
of id tokens that does not rely on the client's own checks.

A script has functions called `case_…`. `script.py SOCKET` loads the script and its client once, listens on a Unix
socket, sends READY=1 to NOTIFY_SOCKET, and runs each requested case in a fork of this process. A request is one JSON
object in a frame, `{"case": NAME, "log": FILE}`. The reply is the exit code of the case, 0 only if every assertion
held, or minus the number of the signal that ended it. A frame is a length of four bytes, most significant first,
followed by that many bytes. BATON_FACTS is the path of a JSON file with the facts, which each case reads again.
"""
import base64
import contextlib
import ctypes
import datetime
import html.parser
import http.client
import json
import os
import plistlib
import signal
import socket
import ssl
import sys
import time
import traceback
import urllib.parse

import jwt
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12


class Facts:
    """The server under test."""

    def __init__(self):
        self.read()

    def read(self):
        with open(os.environ["BATON_FACTS"], encoding="utf-8") as file:
            self.__dict__.update(json.load(file))

    def person(self, name):
        """The user name of a person of the organisation."""
        return f"{name}@{self.domain}"


facts = Facts()


def device_context():
    """Creates an enrollment profile, and returns a TLS context with its identity."""
    return device_profile()[0]


def device_profile():
    """Creates an enrollment profile, and returns a TLS context with its identity, and the topic of its messages."""
    with socket.socket(socket.AF_UNIX) as plain:
        plain.connect(facts.admin)
        admin = http.client.HTTPConnection("server")
        admin.sock = plain
        admin.request("POST", f"/mdm/tenants/{facts.tenant}/enrollments", json.dumps({"name": f"tests-{time.time()}"}))
        made = json.load(admin.getresponse())
    payloads = plistlib.loads(base64.b64decode(made["profile"]))["PayloadContent"]
    identity = next(payload for payload in payloads if payload["PayloadType"] == "com.apple.security.pkcs12")
    key, certificate, _ = pkcs12.load_key_and_certificates(identity["PayloadContent"], identity["Password"].encode())
    path = os.path.join(facts.folder, made["id"])
    with open(path, "wb") as file:
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        file.write(certificate.public_bytes(Encoding.PEM))
    context = ssl.create_default_context(cafile=facts.root)
    context.load_cert_chain(path)
    return context, next(payload["Topic"] for payload in payloads if payload["PayloadType"] == "com.apple.mdm")


CASE_SECONDS = 600  # a case that takes longer is killed (SIGALRM)


def run(scope):
    """Serves the cases of a script until the process is killed."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[1])
        listener.listen()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
            notice.connect(os.environ.pop("NOTIFY_SOCKET"))
            notice.send(b"READY=1")
        while True:
            with listener.accept()[0] as asker:
                request = json.loads(exactly(asker, int.from_bytes(exactly(asker, 4), "big")))
                code = forked(request["log"], lambda: held(scope, request["case"]))
                reply = str(code).encode()
                asker.sendall(len(reply).to_bytes(4, "big") + reply)


def exactly(asker, count):
    """Reads exactly `count` bytes from a connection."""
    data = asker.recv(count, socket.MSG_WAITALL)
    if len(data) != count:
        raise EOFError
    return data


def held(scope, name):
    facts.read()
    scope["case_" + name]()
    print("case held:", name, flush=True)


def forked(log, act):
    """Runs `act` in a fork of this process with its output in a file. Returns the exit code, or minus the signal.

    The fork need not load modules that this process has loaded. Loading them takes most of a client's time.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 1
    try:
        end_with_parent()
        signal.alarm(CASE_SECONDS)
        number = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(number, stream.fileno())
        act()
        code = 0
    except SystemExit as end:  # like the interpreter: a text is an error
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:  # the fork ends here, whatever the error
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def end_with_parent():
    """Makes the kernel kill this process when its parent ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


@contextlib.contextmanager
def clock_off(seconds):
    """Moves the client's clock by so many seconds. The server's clock stays right."""
    right = time.time
    time.time = lambda: right() + seconds
    try:
        yield
    finally:
        time.time = right


class Forms(html.parser.HTMLParser):
    """The forms and links of a page."""

    def __init__(self, text):
        super().__init__()
        self.forms, self.links, self.alert = [], [], None
        self._alert = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.forms.append({"action": values.get("action", ""), "fields": {}})
        elif tag in ("input", "button") and self.forms and values.get("name"):
            # If several buttons have the same name, a person presses the first, unless `submit` is told otherwise.
            fields = self.forms[-1]["fields"]
            if tag == "input" or values["name"] not in fields:
                fields[values["name"]] = values.get("value") or ""
        elif tag == "a":
            self.links.append(values.get("href"))
        self._alert = values.get("role") == "alert"

    def handle_data(self, data):
        if self._alert and data.strip():
            self.alert = (self.alert or "") + data


class Browser:
    """A browser that keeps cookies and follows redirects until it reaches an address of the application."""

    def __init__(self):
        self.session = requests.Session()
        self.pages = []

    def open(self, url, until, method="GET", data=None):
        """Follows redirects to a page, or to an address that begins with `until`; returns the fields of that
        address."""
        for _ in range(12):
            if url.startswith(until):
                query = urllib.parse.urlsplit(url)
                return dict(urllib.parse.parse_qsl(query.query or query.fragment))
            response = self.session.request(method, url, data=data, allow_redirects=False)
            if response.status_code not in (302, 303):
                self.page, self.url = response, url
                return self.repeated(until)
            url, method, data = urllib.parse.urljoin(url, response.headers["Location"]), "GET", None
        raise AssertionError("the browser is sent around in circles")

    def repeated(self, until):
        """Posts a form that a script would post by itself. If it leads to the application, only returns the fields."""
        forms = Forms(self.page.text).forms
        if "/submit-" not in self.page.text or len(forms) != 1:
            return None
        target = urllib.parse.urljoin(self.url, forms[0]["action"])
        if target.startswith(until):
            return forms[0]["fields"]
        return self.open(target, until, "POST", forms[0]["fields"])

    def submit(self, until, **changes):
        """Fills in the first form of the page and presses its button."""
        form = Forms(self.page.text).forms[0]
        return self.open(urllib.parse.urljoin(self.url, form["action"]), until, "POST", form["fields"] | changes)

    def sign_in(self, url, until, name="amara"):
        """Opens an address, signs in there, and returns what came back to the application."""
        returned = self.open(url, until)
        assert returned is None, "signed in without being asked"
        returned = self.submit(until, username=facts.person(name), password=facts.password)
        assert returned is not None, f"still on a page: {Forms(self.page.text).alert}"
        return returned


PROOF_KEY = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
PROOF_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def code_tokens(client, scope, redirect="http://localhost:1", name="amara"):
    """Signs a person in by code and PKCE, without a library, and returns the token endpoint's answer."""
    found = document()
    asked = urllib.parse.urlencode({
        "client_id": client, "response_type": "code", "redirect_uri": redirect, "scope": f"openid offline_access {scope}",
        "code_challenge": PROOF_CHALLENGE, "code_challenge_method": "S256"})
    returned = Browser().sign_in(f"{found['authorization_endpoint']}?{asked}", redirect, name)
    answer = requests.post(found["token_endpoint"], data={
        "grant_type": "authorization_code", "client_id": client, "code": returned["code"], "redirect_uri": redirect,
        "code_verifier": PROOF_KEY})
    assert answer.status_code == 200, answer.text
    return answer.json()


def answer_device_code(address, code, name="amara", choice="yes"):
    """Types the code into the page that the device names, signs a person in there, and answers yes or no."""
    browser, nowhere = Browser(), "http://never.test/"
    browser.open(address, nowhere)
    browser.submit(nowhere, user_code=code)
    forms = Forms(browser.page.text).forms
    if forms and "password" in forms[0]["fields"]:
        browser.submit(nowhere, username=facts.person(name), password=facts.password)
    while Forms(browser.page.text).forms:
        assert Forms(browser.page.text).alert is None, Forms(browser.page.text).alert
        browser.submit(nowhere, choice=choice)


def document(tenant=None, base=None):
    """The discovery document."""
    address = f"{base or facts.login}/{tenant or facts.tenant}/v2.0/.well-known/openid-configuration"
    response = requests.get(address)
    assert response.status_code == 200, response.text
    return response.json()


def judged(id_token, client, **claims):
    """Checks signature, issuer, audience, times and `claims` of an id token, and returns all its claims."""
    found = document()
    keys = jwt.PyJWKSet.from_dict(requests.get(found["jwks_uri"]).json())
    header = jwt.get_unverified_header(id_token)
    said = jwt.decode(
        id_token, keys[header["kid"]].key, algorithms=found["id_token_signing_alg_values_supported"], audience=client,
        issuer=found["issuer"], options={"require": ["exp", "iat", "iss", "aud", "sub"]})
    for name, value in claims.items():
        assert said.get(name) == value, f"{name} is {said.get(name)!r}"
    return said


def graph(token, path="/v1.0/me"):
    """Graph's answer for an access token."""
    return requests.get(facts.graph + path, headers={"Authorization": f"Bearer {token}"})


def administration(method, path, body=None):
    """Sends a request to the server's administration socket, and returns the answer's status and text."""
    connection = http.client.HTTPConnection("server")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(facts.admin)
    connection.request(method, path, None if body is None else json.dumps(body), {"Connection": "close"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def administer(method, path, body=None):
    """Makes a call of the administration that has no answer."""
    status, text = administration(method, f"/identity/{path}", body)
    assert status == 204, text


def create(path, body, engine="identity"):
    """Creates an object by the administration, and returns it."""
    status, text = administration("POST", f"/{engine}/{path}", body)
    assert status in (200, 201), text
    return json.loads(text)


def read(path):
    """Returns what the administration answers to a reading call."""
    status, text = administration("GET", path)
    assert status == 200, text
    return json.loads(text)


def pem(key):
    """A private key as PEM, without a password."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


class Application:
    """An application that acts for itself, with an RSA key and a certificate for it."""

    def __init__(self, permission="Device.Read.All"):
        self.id = create("tenants/-/clients", {
            "displayName": "Inventory", "redirectURIs": [], "isConfidential": True})["id"]
        key, now = rsa.generate_private_key(65537, 2048), datetime.datetime.now(datetime.timezone.utc)
        name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "inventory")])
        builder = x509.CertificateBuilder().issuer_name(name).subject_name(name).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - datetime.timedelta(hours=1))
        certificate = builder.not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256())
        self.key, self.certificate = pem(key), certificate.public_bytes(Encoding.PEM).decode()
        self.thumbprint = certificate.fingerprint(hashes.SHA1()).hex()
        self.path = f"tenants/-/clients/{self.id}"
        self.key_id = create(f"{self.path}/keys", {"name": "tests", "publicKey": self.certificate})["id"]
        self.permission = permission
        self.scope = f"{facts.administration}/.default"

    def grant(self):
        administer("PUT", f"{self.path}/application-permissions/{self.permission}")

    def token(self):
        """Gets a token of the application without a library."""
        endpoint, now = document()["token_endpoint"], int(time.time())
        assertion = jwt.encode(
            {"iss": self.id, "sub": self.id, "aud": endpoint, "jti": os.urandom(16).hex(), "iat": now, "exp": now + 300},
            self.key, algorithm="RS256")
        answer = requests.post(endpoint, data={
            "grant_type": "client_credentials", "client_id": self.id, "scope": self.scope,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": assertion})
        assert answer.status_code == 200, answer.text
        return answer.json()["access_token"]

    def is_own(self, token):
        """Checks a token of the application, which no resource but the administration accepts."""
        said = jwt.decode(token, options={"verify_signature": False})
        assert said["roles"] == [self.permission] and said["idtyp"] == "app" and said["azpacr"] == "2", said
        assert said["appid"] == self.id and said["aud"] == facts.administration and "scp" not in said, said
        assert graph(token).status_code == 401


@contextlib.contextmanager
def disabled(path):
    """Disables the object at this path of the administration, and enables it afterwards."""
    administer("PATCH", path, {"accountEnabled": False})
    try:
        yield
    finally:
        administer("PATCH", path, {"accountEnabled": True})
