# SPDX-License-Identifier: Apache-2.0
"""Simulated devices: what a broker sends to the identity platform, and what a managed device sends to the MDM.

All devices share one RSA key, because it takes a long time to make a key; the server tells them apart by their
certificates.
"""
import base64
import hashlib
import hmac
import json
import os
import plistlib
import subprocess
import time
import urllib.parse

from over_https import Connection, FORM, PASSWORD, Problem

BROKER = "29d9ed98-a469-4536-ade2-f981bc1d605e"
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
USE_AUDIENCE = "https://login.windows.net/common/oauth2/v2.0/token"
ADMINISTRATOR = "7698a772-787b-4ac8-901f-60d6b08affd2"  # Cloud Device Administrator
CHECK_IN = "application/x-apple-aspen-mdm-checkin"
PROPERTY_LIST = "application/xml"
REQUEST_COMMON_NAME = "7E980AD9-B86D-4306-9425-9AC066FB014A"


def openssl(*words, data=None):
    done = subprocess.run(["openssl", *map(str, words)], input=data, capture_output=True, check=False)
    if done.returncode:
        raise Problem(f"openssl {words[0]}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


class Key:
    """The devices' key: it signs requests, and session keys are encrypted to it."""

    def __init__(self, folder):
        self.path = folder / "device.key"
        openssl("genrsa", "-out", self.path, 2048)
        self.request = openssl(
            "req", "-new", "-key", self.path, "-subj", f"/CN={REQUEST_COMMON_NAME}", "-outform", "DER")
        modulus = bytes.fromhex(openssl("rsa", "-in", self.path, "-noout", "-modulus").decode().split("=")[1].strip())
        # BCRYPT_RSAKEY_BLOB: bits, lengths of exponent and modulus, and of two primes that are absent.
        numbers = b"".join(number.to_bytes(4, "little") for number in (2048, 3, len(modulus), 0, 0))
        self.transport = b"RSA1" + numbers + b"\x01\x00\x01" + modulus

    def signed(self, payload, certificate, **more):
        """A compact JWS over the payload, with the certificate in its head."""
        head = {"typ": "JWT", "alg": "RS256", "x5c": [base64.b64encode(certificate).decode()]} | more
        text = f"{encoded(compact(head))}.{encoded(compact(payload))}"
        return f"{text}.{encoded(openssl('dgst', '-sha256', '-sign', self.path, data=text.encode()))}"

    def decrypt(self, data):
        return openssl("pkeyutl", "-decrypt", "-inkey", self.path, "-pkeyopt", "rsa_padding_mode:oaep", data=data)


class Directory:
    """The identity platform, as a device sees it."""

    def __init__(self, node, key):
        self.node, self.key, self.connection = node, key, node.connect()
        self.registration = f"deviceregistration.bench.test:{node.port}"
        self.tenant = node.administer("GET", "/identity/tenants")[0]["id"]
        self.token_path = f"/{self.tenant}/oauth2/v2.0/token"

    def administrator(self):
        """Makes the person an administrator of devices; returns an access token for device registration."""
        user = self.node.administer("GET", "/identity/tenants/-/users")[0]["id"]
        self.node.administer("PUT", f"/identity/tenants/-/roles/{ADMINISTRATOR}/members/{user}")
        scope = f"openid urn:ms-drs:{self.registration.split(':')[0]}/.default"
        return self.connection.post(self.token_path, {
            "grant_type": "password", "username": self.node.user, "password": PASSWORD, "client_id": BROKER,
            "scope": scope})["access_token"]

    def nonce(self):
        return self.connection.post(self.token_path, {"grant_type": "srv_challenge"})["Nonce"]


class Device:
    """A shared device in the directory, joined at one node."""

    def __init__(self, directory, token, number):
        self.directory, self.epoch, self.id = directory, 0, None
        key = directory.key
        body = compact({
            "CertificateRequest": {"Type": "pkcs10", "Data": base64.b64encode(key.request).decode()},
            "TransportKey": base64.b64encode(key.transport).decode(), "TargetDomain": "bench.test",
            "DeviceType": "Linux", "OSVersion": "12", "DeviceDisplayName": f"ward-{number}", "JoinType": 0,
            "Attributes": {"SharedDevice": True}})
        host, directory.connection.host = directory.connection.host, directory.registration
        _, reply = directory.connection.request(
            "POST", "/EnrollmentServer/device/?api-version=2.0", body, "application/json",
            Authorization=f"Bearer {token}")
        directory.connection.host = host
        self.certificate = base64.b64decode(json.loads(reply)["Certificate"]["RawBody"])
        subject = openssl("x509", "-inform", "DER", "-noout", "-subject", "-nameopt", "multiline", data=self.certificate)
        self.id = subject.decode().split("=")[-1].strip()

    @property
    def epoch_members(self):
        return {"epoch_id": f"{self.epoch:032x}", "epoch_counter": self.epoch}

    def begin(self, user=None):
        """Signs a worker in; returns the session."""
        self.epoch += 1
        directory = self.directory
        payload = {
            "client_id": BROKER, "scope": "openid aza ugs", "request_nonce": directory.nonce(),
            "grant_type": "password", "username": user or directory.node.user, "password": PASSWORD}
        signed = directory.key.signed(payload | self.epoch_members, self.certificate, kdf_ver=2)
        reply = directory.connection.post(directory.token_path, form(signed))
        return Session(self, reply)

    def call(self, name, **members):
        """A signed call of the device: the form to post, and its path."""
        path = f"/{self.directory.tenant}/oauth2/v2.0/device/{name}"
        payload = {
            "aud": f"https://{self.directory.node.name}:{self.directory.node.port}{path}", "iss": self.id,
            "request_nonce": self.directory.nonce(), "iat": int(time.time())} | members | self.epoch_members
        return self.directory.key.signed(payload, self.certificate), path


def form(signed):
    return {"grant_type": JWT_BEARER, "prt_protocol_version": "3.0", "client_info": "1", "request": signed}


class Session:
    """A worker's session on a device."""

    def __init__(self, device, reply):
        self.device, self.token = device, reply["refresh_token"]
        self.id = json.loads(decoded(reply["id_token"].split(".")[1]))["sid"]
        self.key = device.directory.key.decrypt(decoded(reply["session_key_jwe"].split(".")[1]))

    def redeem(self, connection, client, nonce):
        """Exchanges the primary refresh token for an app's token. Returns the nonce for the next request."""
        now = int(time.time())
        payload = compact({
            "iss": BROKER, "aud": USE_AUDIENCE, "grant_type": "refresh_token", "refresh_token": self.token,
            "client_id": client["client_id"], "redirect_uri": "http://localhost", "scope": client["scope"],
            "request_nonce": nonce, "iat": now, "exp": now + 300})
        context = os.urandom(24)
        head = compact({"alg": "HS256", "ctx": base64.b64encode(context).decode(), "kdf_ver": 2})
        bound = hashlib.sha256(context + payload).digest()
        label = b"\0\0\0\1AzureAD-SecureConversation\0" + bound + b"\0\0\1\0"
        derived = hmac.digest(self.key, label, "sha256")
        text = f"{encoded(head)}.{encoded(payload)}"
        signed = f"{text}.{encoded(hmac.digest(derived, text.encode(), 'sha256'))}"
        body = urllib.parse.urlencode(form(signed)).encode()
        fields, _ = connection.request("POST", self.device.directory.token_path, body, FORM)
        return fields[b"replay-nonce"].decode()

    def end(self):
        """Reports that the worker has signed out."""
        self.device.epoch += 1
        signed, path = self.device.call("endsession", sid=self.id, end_browser_session=True)
        if not self.device.directory.connection.post(path, {"request": signed}).get("ended"):
            raise Problem("the end of a session is not confirmed")


class ManagedDevice:
    """An enrolled device of the MDM."""

    def __init__(self, node, folder, number):
        self.udid, self.name = f"BENCH-{number:08d}", f"tablet-{number}"
        made = node.administer("POST", "/mdm/tenants/-/enrollments", {"name": self.name})
        payloads = plistlib.loads(base64.b64decode(made["profile"]))["PayloadContent"]
        found = {payload["PayloadType"]: payload for payload in payloads}
        identity, management = found["com.apple.security.pkcs12"], found["com.apple.mdm"]
        self.identity = folder / f"{number}.pem"
        self.identity.write_bytes(openssl(
            "pkcs12", "-nodes", "-passin", f"pass:{identity['Password']}", data=bytes(identity["PayloadContent"])))
        self.path = urllib.parse.urlsplit(management["ServerURL"]).path
        self.topic = management["Topic"]

    def connect(self, node, context=None):
        return Connection(node.mdm_port, "mdm.bench.test", node.trust, node.address, self.identity, context)

    def put(self, connection, members, media_type=PROPERTY_LIST):
        _, body = connection.request("PUT", self.path, plistlib.dumps({"UDID": self.udid} | members), media_type)
        return body

    def enroll(self, connection):
        """Checks in for the first time, and answers the inventory that the server asks for."""
        self.put(connection, {"MessageType": "Authenticate", "Topic": self.topic, "ProductName": "Linux",
                              "OSVersion": "12", "SerialNumber": self.udid}, CHECK_IN)
        self.put(connection, {"MessageType": "TokenUpdate", "Topic": self.topic, "Token": os.urandom(32),
                              "PushMagic": self.udid}, CHECK_IN)
        self.work(connection)

    def work(self, connection):
        """Fetches and acknowledges commands until there are none."""
        body = self.put(connection, {"Status": "Idle"})
        while body:
            command = plistlib.loads(body)
            answer = {"ProfileList": {"ProfileList": []},
                      "ManagedApplicationList": {"ManagedApplicationList": {}}}
            body = self.put(connection, {"Status": "Acknowledged", "CommandUUID": command["CommandUUID"]}
                            | answer.get(command["Command"]["RequestType"], {}))

    def idle(self, connection):
        if self.put(connection, {"Status": "Idle"}):
            raise Problem("a command was not expected")


class PushChannel:
    """The push channel of an enrolled device: a request whose answer stays open."""

    def __init__(self, connection, device, question=None):
        self.socket, self.rest = connection.socket, b""
        body = compact({"question": question} if question else {})
        self.socket.sendall(
            f"POST {device.path}/push HTTP/1.1\r\nHost: {connection.host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def message(self):
        """The next message: chunks of JSON lines, each chunk one line."""
        while True:
            for line in self.rest.split(b"\r\n")[:-1]:
                self.rest = self.rest[len(line) + 2:]
                if line.startswith(b"HTTP/1.1 ") and not line.startswith(b"HTTP/1.1 200"):
                    raise Problem(f"a push channel is refused: {line.decode()}")
                if line.startswith(b"{"):
                    return json.loads(line)
            data = self.socket.recv(65536)
            if not data:
                raise Problem("a push channel has ended")
            self.rest += data
