# SPDX-License-Identifier: Apache-2.0
"""Refresh grants over HTTPS on loopback: baton-server beside glewlwyd, an OpenID provider in C from Debian.

Both store their data in SQLite on the same disk, sign with ES256, and replace the refresh token at each use. The
same client asks both.
"""
import base64
import contextlib
import http.client
import json
import pathlib
import shutil
import socket
import sqlite3
import ssl
import subprocess
import threading
import time
import urllib.parse

from environment import administer

PATIENCE = 30.0  # seconds for a start, and for one answer
PASSWORD = "correct horse battery"
FORM = "application/x-www-form-urlencoded"
GLEWLWYD_TABLES = pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
GLEWLWYD_MODULES = "/usr/lib/glewlwyd"


class Problem(Exception):
    pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_seconds(process):
    """The processor time of a process, in user and system mode, from the kernel's clock for it (clock_getcpuclockid)."""
    return time.clock_gettime_ns(~process << 3 | 2) / 1e9


class Connection:
    """An HTTPS connection that stays open and does little work per request, so that mostly the server is measured."""

    def __init__(self, port, name, trust, address="127.0.0.1", identity=None, context=None):
        """identity: a file with a certificate and its key, with which the client authenticates. context: what several
        connections share."""
        if context is None:
            context = ssl.create_default_context(cafile=trust)
            if identity:
                context.load_cert_chain(identity)
        plain = socket.create_connection((address, port), timeout=PATIENCE)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = context.wrap_socket(plain, server_hostname=name)
        self.host = f"{name}:{port}"

    def post(self, path, form):
        """Posts a form; returns the members of the JSON answer."""
        _, body = self.request("POST", path, urllib.parse.urlencode(form).encode(), FORM)
        return json.loads(body)

    def request(self, method, path, body, media_type, **more):
        """Sends a request. Returns the fields of the answer's head, with names in lower case, and its body. `more`:
        further fields of the request's head."""
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: {media_type}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in more.items())
        self.socket.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.received()
        head, body = data.split(b"\r\n\r\n", 1)
        pairs = (line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        fields = {name.lower(): value for name, value in pairs}
        length = int(fields[b"content-length"])
        while len(body) < length:
            body += self.received()
        if not head.startswith(b"HTTP/1.1 200"):
            raise Problem(f"{path}: {data.decode(errors='replace')[:2000]}")
        return fields, body

    def received(self):
        data = self.socket.recv(65536)
        if not data:
            raise Problem("the server closed the connection")
        return data


class Server:
    """A server that this program starts; subclasses set `process` and the rest."""
    address = "127.0.0.1"

    def connect(self):
        return Connection(self.port, self.name, self.trust, self.address)

    def until_ready(self, log):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            with contextlib.suppress(OSError):
                socket.create_connection((self.address, self.port), timeout=1).close()
                return
            time.sleep(0.05)
        self.end()
        raise Problem(f"{self.title} does not start:\n{log.read_text()[-2000:]}")

    def processor_seconds(self):
        return processor_seconds(self.process.pid)

    def refresh(self, connection, token):
        return connection.post(
            self.path, self.client | {"grant_type": "refresh_token", "refresh_token": token})["refresh_token"]

    def sign_in(self, connection):
        form = self.client | {"grant_type": "password", "username": self.user, "password": PASSWORD}
        answer = connection.post(self.path, form)
        header = answer["access_token"].split(".")[0]
        algorithm = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["alg"]
        if algorithm != "ES256":
            raise Problem(f"{self.title} signs with {algorithm}, not with ES256")
        return answer["refresh_token"]

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class BatonServer(Server):
    title = "baton-server"
    name = "login.bench.test"
    user = "amara@bench.test"
    path = "/bench.test/oauth2/v2.0/token"

    def __init__(self, program, folder, others=None, like=None):
        """Starts a server.

        others: keys of the configuration file besides the usual ones. like: another node of the same installation. The
        two have the same ports, so their addresses must differ."""
        folder.mkdir()
        others = others or {}
        self.address = others.get("address", self.address)
        self.state = folder / "state"
        self.port, self.mdm_port = (like.port, like.mdm_port) if like else (free_port(), free_port())
        names = {"login": self.name} | {
            kind: f"{kind.lower()}.bench.test" for kind in ("deviceRegistration", "graph", "mdm")}
        configuration = {
            "directory": str(self.state), "port": self.port, "mdmPort": self.mdm_port, "names": names,
            "logLevel": "warning", "passwordCost": 10, "compatibility": {"passwordGrant": True}} | others
        (folder / "server.json").write_text(json.dumps(configuration))
        if like:
            self.state.mkdir(mode=0o700)
            shutil.copytree(like.state / "ca", self.state / "ca")
            shutil.copy2(like.state / "storage.key", self.state)
        log = folder / "log"
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [program, "--config", folder / "server.json"], stdout=output, stderr=output)
        self.until_ready(log)
        self.trust = self.state / "ca/root.pem"

    def prepare(self):
        """Makes an organisation, a person and an application."""
        self.administer("POST", "/identity/tenants", {"displayName": "Bench", "domain": "bench.test"})
        self.administer(
            "POST", "/identity/tenants/-/users",
            {"userPrincipalName": self.user, "displayName": "Amara", "password": PASSWORD})
        app = self.administer(
            "POST", "/identity/tenants/-/clients",
            {"displayName": "Bench", "redirectURIs": ["http://localhost"], "tokenAlgorithm": "ES256"})
        self.client = {"client_id": app["id"], "scope": "offline_access User.Read"}

    def administer(self, method, path, body=None):
        return administer(self.state / "admin.sock", method, path, body)


class Glewlwyd(Server):
    title = "glewlwyd"
    name = "localhost"
    user = "amara"
    path = "/api/oidc/token"
    # Its password grant needs a client with a secret.
    client = {"client_id": "bench", "client_secret": "a secret", "scope": "bench"}

    def __init__(self, folder):
        program = shutil.which("glewlwyd")
        if program is None or not GLEWLWYD_TABLES.exists():
            raise Problem("glewlwyd is missing: apt-get install glewlwyd")
        folder.mkdir()
        (folder / "none").mkdir()
        self.port = free_port()
        self.trust = folder / "tls.pem"
        database = sqlite3.connect(folder / "glewlwyd.sqlite")
        database.executescript(GLEWLWYD_TABLES.read_text())
        database.close()
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        subprocess.run(
            ["openssl", "req", "-x509", *curve, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-days", "2", "-keyout", folder / "tls.key", "-out", self.trust], **quiet)
        subprocess.run(
            ["openssl", "ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", folder / "sign.key"], **quiet)
        subprocess.run(
            ["openssl", "ec", "-in", folder / "sign.key", "-pubout", "-out", folder / "sign.pem"], **quiet)
        settings = {
            "bind_address": "127.0.0.1", "external_url": f"https://localhost:{self.port}", "login_url": "login.html",
            "api_prefix": "api", "log_mode": "console", "log_level": "ERROR", "cookie_domain": "localhost",
            "session_key": "session", "admin_scope": "g_admin", "profile_scope": "g_profile",
            "user_module_path": f"{GLEWLWYD_MODULES}/user", "user_middleware_module_path": str(folder / "none"),
            "client_module_path": f"{GLEWLWYD_MODULES}/client",
            "user_auth_scheme_module_path": f"{GLEWLWYD_MODULES}/scheme",
            "plugin_module_path": f"{GLEWLWYD_MODULES}/plugin", "hash_algorithm": "SHA512",
            "secure_connection_key_file": str(folder / "tls.key"), "secure_connection_pem_file": str(self.trust)}
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()] + [
            f"port = {self.port}", "use_secure_connection = true", "session_expiration = 3600",
            f'database = {{ type = "sqlite3"; path = "{folder}/glewlwyd.sqlite"; }};']
        (folder / "glewlwyd.conf").write_text("\n".join(lines) + "\n")
        log = folder / "log"
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [program, "--config-file", folder / "glewlwyd.conf"], stdout=output, stderr=output)
        self.until_ready(log)
        self.configure(folder)

    def configure(self, folder):
        """Sets the provider up through its administration interface, as the administrator of a new installation."""
        cookie = None

        def post(path, body):
            nonlocal cookie
            connection = http.client.HTTPSConnection(
                "localhost", self.port, timeout=PATIENCE, context=ssl.create_default_context(cafile=self.trust))
            with contextlib.closing(connection):
                headers = {"Content-Type": "application/json"} | ({"Cookie": cookie} if cookie else {})
                connection.request("POST", f"/api{path}", json.dumps(body), headers)
                answer = connection.getresponse()
                text = answer.read().decode(errors="replace")
                if answer.status != 200:
                    raise Problem(f"glewlwyd refuses {path}: {answer.status} {text}")
                cookie = cookie or answer.headers["Set-Cookie"].split(";")[0]

        post("/auth/", {"username": "admin", "password": "password"})
        flows = ("code", "token", "none", "client", "device", "implicit")
        parameters = {
            "iss": f"https://localhost:{self.port}", "jwt-type": "ecdsa", "jwt-key-size": "256",
            "key": (folder / "sign.key").read_text(), "cert": (folder / "sign.pem").read_text(),
            "access-token-duration": 3600, "refresh-token-duration": 14 * 86400, "code-duration": 600,
            "refresh-token-rolling": True, "refresh-token-one-use": "always", "allow-non-oidc": True,
            "auth-type-password-enabled": True, "auth-type-refresh-enabled": True,
            "scope": [], "additional-parameters": [], "claims": [], "subject-type": "public",
        } | {f"auth-type-{flow}-enabled": False for flow in flows}
        post("/mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "oidc", "parameters": parameters})
        post("/scope/", {
            "name": "bench", "display_name": "bench", "description": "bench", "password_required": False,
            "password_max_age": 0, "scheme": {}})
        post("/user/", {
            "username": self.user, "password": PASSWORD, "name": "Amara", "email": "amara@bench.test",
            "enabled": True, "scope": ["bench"]})
        post("/client/", {
            "client_id": self.client["client_id"], "name": "bench", "confidential": True,
            "client_secret": self.client["client_secret"], "token_endpoint_auth_method": ["client_secret_post"],
            "enabled": True, "redirect_uri": ["http://localhost/"], "scope": ["bench"],
            "authorization_type": ["password", "refresh_token"]})


class Chains:
    """Clients that each keep a connection and a refresh token of their own."""

    def __init__(self, server, count):
        self.server = server
        connections = [server.connect() for _ in range(count)]
        self.clients = [[connection, server.sign_in(connection)] for connection in connections]
        self.times, self.elapsed, self.processor = [], 0.0, 0.0

    def run(self, seconds, counts=True):
        """Lets all clients send requests at the same time."""
        times, problems = [], []
        end = time.monotonic() + seconds

        def ask(client):
            own = []
            try:
                while time.monotonic() < end:
                    start = time.perf_counter()
                    client[1] = self.server.refresh(*client)
                    own.append(time.perf_counter() - start)
            except Exception as problem:  # A thread's own exception would only be printed.
                problems.append(problem)
            times.extend(own)

        used, begin = self.server.processor_seconds(), time.monotonic()
        threads = [threading.Thread(target=ask, args=[client]) for client in self.clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems:
            raise Problem(f"{self.server.title}: {problems[0]}")
        if counts:
            self.times += times
            self.elapsed += time.monotonic() - begin
            self.processor += self.server.processor_seconds() - used

    def figure(self, name):
        times = sorted(self.times)
        return {
            "group": "server", "name": f"{name}: {self.server.title}", "unit": "µs",
            "p50": round(times[len(times) // 2] * 1e6, 1), "p99": round(times[len(times) * 99 // 100] * 1e6, 1),
            "perSecond": round(len(times) / self.elapsed, 1), "perCoreSecond": round(len(times) / self.processor, 1)}


def figures(programs, folder, seconds):
    """Measures both servers in turns of one second: one client at a time, then eight."""
    servers = []
    try:
        servers.append(Glewlwyd(folder / "glewlwyd"))
        servers.append(BatonServer(programs / "baton-server", folder / "baton"))
        servers[-1].prepare()
        for count, name in ((1, "ES256: refresh grant over HTTPS, one client"), (8, "ES256: refresh grant over HTTPS, 8 clients")):
            chains = [Chains(server, count) for server in servers]
            for turn in range(1 + seconds):
                for chain in chains:
                    chain.run(1.0, counts=turn > 0)
            yield from (chain.figure(name) for chain in chains)
    finally:
        for server in servers:
            server.end()
