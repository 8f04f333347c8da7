# SPDX-License-Identifier: Apache-2.0
"""Devices of earlier versions: they send what Tests/Fixtures/devices/VERSION.json contains and read only what it lists.

docs/operations/upgrade.md describes the files, and when to add one. The case is chosen by the fact `device_version`.
"""
import base64
import copy
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import plistlib
import re
import socket
import time
import urllib.parse
import uuid

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding

from baton_tests import PROOF_CHALLENGE, PROOF_KEY, Browser, device_profile, facts, run

FIXTURES = pathlib.Path(__file__).parent.parent / "Fixtures/devices"
REDIRECT = "http://localhost:1"
# The subject that a join's certificate request must have.
REQUEST_SUBJECT = "7E980AD9-B86D-4306-9425-9AC066FB014A"
KINDS = {"string": str, "integer": int, "boolean": bool, "object": dict, "array": list}


def url64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def un64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def name_of(common):
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common)])


def administer(method, path, body, *statuses):
    """Sends a request to the server's administration socket. Returns the answer's body."""
    connection = http.client.HTTPConnection("server")
    with socket.socket(socket.AF_UNIX) as connection.sock:
        connection.sock.connect(facts.admin)
        connection.request(method, path, None if body is None else json.dumps(body), {"Connection": "close"})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status in statuses, (path, answer.status, text)
        return text


class Device:
    """One device: its keys, and the values that it has received so far."""

    def __init__(self):
        self.identity, self.transport = (rsa.generate_private_key(65537, 2048) for _ in range(2))
        self.receipts = ec.generate_private_key(ec.SECP256R1())
        self.management, topic = device_profile()
        numbers = self.transport.public_key().public_numbers()
        modulus, exponent = numbers.n.to_bytes(256, "big"), numbers.e.to_bytes(3, "big")
        header = b"".join(number.to_bytes(4, "little") for number in (2048, 3, 256, 0, 0))
        point = self.receipts.public_key().public_numbers()
        request = x509.CertificateSigningRequestBuilder().subject_name(name_of(REQUEST_SUBJECT)).sign(
            self.identity, hashes.SHA256())
        self.values = {
            "tenant": facts.tenant, "domain": facts.domain, "login": facts.login, "redirect": REDIRECT,
            "state": "state-of-this-test", "challenge": PROOF_CHALLENGE, "verifier": PROOF_KEY, "app": facts.client,
            "worker": facts.person("amara"), "correlation": str(uuid.uuid4()), "epoch": os.urandom(16).hex(),
            "counter": 7, "udid": str(uuid.uuid4()).upper(), "topic": topic, "push_token": os.urandom(16),
            "push_magic": str(uuid.uuid4()), "receipt_hash": url64(os.urandom(32)),
            "certificate_request": base64.b64encode(request.public_bytes(Encoding.DER)).decode(),
            "transport_key": base64.b64encode(b"RSA1" + header + exponent + modulus).decode(),
            "receipt_key": {"crv": "P-256", "kty": "EC", "x": url64(point.x.to_bytes(32, "big")),
                            "y": url64(point.y.to_bytes(32, "big"))},
        }

    def filled(self, template):
        """The template with the device's values in place of their names. Parts that the template marks are signed."""
        if isinstance(template, list):
            return [self.filled(item) for item in template]
        if isinstance(template, dict):
            if "signedBy" in template:
                return self.signed(template)
            return {name: self.filled(value) for name, value in template.items()}
        if not isinstance(template, str):
            return template
        whole = re.fullmatch(r"\{([a-z_0-9 ]+)\}", template)
        if whole:
            return self.value(whole[1])
        return re.sub(r"\{([a-z_]+)\}", lambda name: str(self.value(name[1])), template)

    def value(self, name):
        if name == "now":
            return int(time.time())
        if name == "in 300 s":
            return int(time.time()) + 300
        if name == "context":
            self.context = os.urandom(24)
            return base64.b64encode(self.context).decode()
        return self.values[name]

    def signed(self, template):
        if template["signedBy"] == "receipt key":
            line = compact(self.filled(template["line"]))
            r, s = decode_dss_signature(self.receipts.sign(line[:-1].encode(), ec.ECDSA(hashes.SHA256())))
            return f'{line[:-1]},"signature":"{url64(r.to_bytes(32, "big") + s.to_bytes(32, "big"))}"}}'
        header = compact(self.filled(template["header"])).encode()
        claims = compact(self.filled(template["claims"])).encode()
        text = f"{url64(header)}.{url64(claims)}"
        if template["signedBy"] == "device":
            return f"{text}.{url64(self.identity.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))}"
        assert template["signedBy"] == "session", template
        key = self.derived(hashlib.sha256(self.context + claims).digest())
        return f"{text}.{url64(hmac.digest(key, text.encode(), 'sha256'))}"

    def derived(self, context):
        """A key derived from the session key (NIST SP 800-108, counter mode, one block)."""
        said = b"\0\0\0\1AzureAD-SecureConversation\0" + context + b"\0\0\1\0"
        return hmac.digest(self.values["session_key"], said, "sha256")

    def opened(self, text):
        """The content of an encrypted reply."""
        header, key, nonce, content, tag = text.split(".")
        said = json.loads(un64(header))
        assert said["alg"] == "dir" and said["enc"] == "A256GCM" and key == "", said
        derived = self.derived(base64.b64decode(said["ctx"]))
        return json.loads(AESGCM(derived).decrypt(un64(nonce), un64(content) + un64(tag), header.encode()))

    # What the device reads

    def read(self, answer, wanted, headers=None):
        """Reads each wanted field of an answer, and returns the fields. A missing or different one is an error."""
        found = {}
        for name, kind in wanted.items():
            value = headers.get(name[7:]) if name.startswith("header ") else self.member(answer, name)
            assert value is not None, f"the answer lacks {name}: {answer}"
            found[name] = self.checked(name, value, kind)
        return found

    def member(self, answer, path):
        """The member at a path. Tokens, client_info and signed lines in an answer are read as objects."""
        value = answer
        for step in path.split("."):
            if isinstance(value, str):
                value = json.loads(value if value.startswith("{") else un64(value.split(".")[1] if "." in value else value))
            value = value.get(step)
        return value

    def checked(self, name, value, kind):
        if kind == "certificate":
            certificate = x509.load_der_x509_certificate(base64.b64decode(value))
            assert certificate.public_key().public_numbers() == self.identity.public_key().public_numbers()
            self.values["device"] = certificate.subject.rfc4514_string().removeprefix("CN=")
        elif kind == "session key":
            header, key = value.split(".")[:2]
            said = json.loads(un64(header))
            assert said["alg"] == "RSA-OAEP" and said["enc"] == "A256GCM", said
            # The dialect requires SHA-1 here (RFC 7518, RSA-OAEP).
            oaep = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
            value = self.transport.decrypt(un64(key), oaep)
            assert len(value) == 32
        elif kind == "profile":
            plistlib.loads(value)["PayloadContent"]
        elif kind in KINDS:
            # The token endpoint may send numbers and booleans as text.
            lenient = isinstance(value, str) and kind != "string" and re.fullmatch(r"\d+|true|false|1|0", value)
            assert lenient or type(value) is KINDS[kind], f"{name} is {value!r}"
        else:
            wanted = self.filled(kind)
            assert value == wanted or str(value) == str(wanted), f"{name} is {value!r}, not {wanted!r}"
        return value

    # The exchanges

    def send(self, exchange):
        """Sends one request. Returns status, headers and body of the answer."""
        base = {"login": facts.login, "registration": facts.registration, "management": facts.mdm}[exchange["to"]]
        path, headers = self.filled(exchange["path"]), self.filled(exchange.get("headers", {}))
        body = None
        if "form" in exchange:
            body = urllib.parse.urlencode(self.filled(exchange["form"]))
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        elif "json" in exchange:
            body = compact(self.filled(exchange["json"]))
            headers.setdefault("Content-Type", "application/json")
        elif "plist" in exchange:
            body = plistlib.dumps(self.filled(exchange["plist"]))
        if exchange["to"] == "management":
            return self.manage(exchange, path, headers, body)
        answer = requests.request(exchange["method"], base + path, headers=headers, data=body, timeout=60)
        return answer.status_code, answer.headers, answer.text

    def manage(self, exchange, path, headers, body):
        place = urllib.parse.urlsplit(facts.mdm)
        connection = http.client.HTTPConnection(place.hostname, place.port)
        plain = socket.create_connection(("127.0.0.1", place.port), 60)
        with self.management.wrap_socket(plain, server_hostname=place.hostname) as connection.sock:
            connection.request(exchange["method"], path, body, headers)
            answer = connection.getresponse()
            # A push channel stays open: the device reads its first line.
            text = answer.readline() if "readsLine" in exchange else answer.read()
            return answer.status, answer.headers, text

    def code(self, exchange):
        """Lets a person sign in at the page of an authorization request. Returns what came back."""
        query = urllib.parse.urlencode(self.filled(exchange["query"]))
        person = {"administrator": "bo", "worker": "amara"}[exchange["signsIn"]]
        return Browser().sign_in(f"{facts.login}{self.filled(exchange['path'])}?{query}", REDIRECT, person)

    def execute(self, exchange, text):
        """Answers commands until there are none, and returns the request types."""
        done = []
        while text:
            command = plistlib.loads(text)
            name = command["Command"]["RequestType"]
            known = exchange["commands"].get(name)
            assert known, f"the device does not know the command {name}"
            self.values["command"] = command["CommandUUID"]
            self.read(command["Command"], known["reads"])
            status, _, text = self.send(exchange | {"plist": known["answer"]})
            assert status == 200, (name, status)
            done.append(name)
        return done

    def administered(self, act):
        """What an administrator does before an exchange."""
        tenant, role = f"tenants/{facts.tenant}", "7698a772-787b-4ac8-901f-60d6b08affd2"
        if act == "allows bo to join devices":
            administer("PUT", f"/identity/{tenant}/roles/{role}/members/{facts.person('bo')}", None, 204)
        elif act == "turns offline sign-in on":
            rules = {"credentials": ["password"], "wallSeconds": 86400, "poweredSeconds": 86400, "boots": 3, "attempts": 3}
            administer("PUT", f"/identity/{tenant}/offline-sign-in", {"rules": rules}, 200, 204)
        else:
            assert act == "pushes a profile and removes it", act
            said = administer("POST", f"/mdm/{tenant}/profiles", {"sharedDevice": {"urls": [facts.login]}}, 201)
            profile = json.loads(said)["identifier"]
            for method in ("PUT", "DELETE"):
                administer(method, f"/mdm/{tenant}/devices/{self.values['udid']}/profiles/{profile}", None, 202)

    def act(self, exchange):
        if "administrator" in exchange:
            self.administered(exchange["administrator"])
        if "signsIn" in exchange:
            answer, headers = self.code(exchange), {}
        else:
            status, headers, text = self.send(exchange)
            assert status == exchange.get("status", 200), (status, text)
            if "commands" in exchange:
                done = self.execute(exchange, text)
                assert set(exchange["mustCommand"]) <= set(done), done
                return
            if "reads" not in exchange and "readsLine" not in exchange:
                return
            answer = self.opened(text) if exchange.get("isEncrypted") else json.loads(text)
        found = self.read(answer, exchange.get("reads") or exchange["readsLine"], headers)
        self.values |= {name: found[field] for name, field in exchange.get("keeps", {}).items()}


def live(change=lambda exchange: exchange):
    """Sends everything that a device of the version sends in its life. `change` may change an exchange."""
    fixture = json.loads((FIXTURES / f"{facts.device_version}.json").read_text())
    assert fixture["version"] == facts.device_version
    device, known = Device(), {}
    for exchange in fixture["exchanges"]:
        exchange = known.get(exchange.get("again"), exchange)
        known[exchange["name"]] = exchange
        print(exchange["name"], flush=True)
        device.act(change(copy.deepcopy(exchange)))


def case_exchanges():
    """The server serves a device of the version from its enrollment until it leaves."""
    live()


def case_notices():
    """A field that the device reads and the server does not send, or the other way round, is noticed."""
    lacks = [
        ("join", lambda exchange: exchange["reads"].update({"Certificate.Chain": "string"})),
        ("primary refresh token", lambda exchange: exchange["reads"].update({"new_member": "string"})),
        ("app's token", lambda exchange: exchange["reads"].update({"expires_in": "array"})),
        ("push channel", lambda exchange: exchange["readsLine"].update({"nudges": "integer"})),
        ("commands", lambda exchange: exchange["commands"].pop("ProfileList")),
        ("enrollment: token update", lambda exchange: exchange["plist"].pop("PushMagic")),
        ("join", lambda exchange: exchange["json"].pop("JoinType")),
        ("session's status", lambda exchange: exchange["form"]["request"]["claims"].pop("iat")),
        ("session's end", lambda exchange: exchange["form"]["request"]["claims"].pop("end_browser_session")),
        ("receipts' anchor", lambda exchange: exchange["form"]["request"]["claims"].pop("receipt_head")),
    ]
    for name, spoil in lacks:
        def change(exchange):
            if exchange["name"] == name:
                spoil(exchange)
            return exchange

        try:
            live(change)
        except AssertionError as failure:
            print("noticed in", name, "as", str(failure)[:200], flush=True)
        else:
            raise AssertionError(f"nothing noticed in {name}")


run(globals())
