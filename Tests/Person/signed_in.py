#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real browser with Baton's extension, installed by policy, and the sites that it visits. Reports what the sites see.

    signed_in.py FILE

Runs as a descendant of the browser that baton-agent opened, in its own mount namespace (`unshare --mount`), where it
may put policies over /etc. FILE is a JSON object: `browser` (chromium or firefox), `folder`, `login`, `tenant`,
`client`, `root`, `go` (a FIFO that is opened for writing once a worker is signed in), `ready`, `result`, `ports` (of
the relying party and of another site), and for the extension's package `id`, `source` (its update or install address)
and `host` (the manifest of the native messaging host).

The pages drive the browser: each leads to the next. For each of the steps `nobody`, `frame` and `redirect`, `result`
contains the credential headers that the other site received, and the identity platform's answer. It also contains
`who`, the user that the relying party saw, `milliseconds`, the duration of that sign-in, and whether the extension
reported to the socket `ready`.
"""
import http.server
import json
import os
import pathlib
import secrets
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

OTHER = "other.baton.test"
PATIENCE = 45.0  # seconds for all pages together
NAMES = ("x-ms-refreshtokencredential", "x-ms-devicecredential")


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Stage:
    """The content of FILE, and what the sites have seen."""

    def __init__(self, wanted):
        self.__dict__.update(wanted)
        self.folder = pathlib.Path(wanted["folder"])
        self.seen = {}
        self.done = threading.Event()
        self.is_ready = False
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.bind(self.ready)
        self.rely, self.elsewhere = wanted["ports"]
        self.other = f"https://{OTHER}:{self.elsewhere}"

    def await_ready(self):
        """Waits until the browser's extension is ready, or for the limit."""
        if self.is_ready:
            return
        self.notices.settimeout(PATIENCE)
        try:
            self.notices.recv(64)
            self.is_ready = True
        except TimeoutError:
            pass

    def authorize(self, step):
        """An address of the identity platform that redirects to the other site, whether or not a user is signed in."""
        query = {
            "client_id": self.client, "response_type": "code", "scope": "openid", "prompt": "none", "state": step,
            "redirect_uri": f"{self.other}/cb", "code_challenge": "A" * 43, "code_challenge_method": "S256"}
        return f"{self.login}/{self.tenant}/oauth2/v2.0/authorize?{urllib.parse.urlencode(query)}"


def leading_to(address):
    return f"<!doctype html><title>on</title><script>location = {json.dumps(address)}</script>"


def other_site(stage):
    """Starts another site, on a host that no profile lists. Returns the path of its authority's certificate."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path, _, query = self.path.partition("?")
            body = "<!doctype html>"
            if path == "/cb":
                body = self.returned({name: values[0] for name, values in urllib.parse.parse_qs(query).items()})
            elif path == "/frame":
                body = f"<!doctype html><iframe src='{stage.authorize('frame')}'></iframe>"
            data = body.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def returned(self, answer):
            step = answer.get("state", "?")
            stage.seen[step] = {
                "headers": [name for name in NAMES if self.headers.get(name)],
                "answer": "code" if "code" in answer else answer.get("error", "?")}
            if step == "nobody":
                (stage.folder / "visited").touch()
                # Blocks until somebody is signed in.
                open(stage.go, encoding="utf-8").close()
                return leading_to(f"{stage.other}/frame")
            if step == "frame":
                return f"<script>top.location = {json.dumps(stage.authorize('redirect'))}</script>"
            return leading_to(f"http://localhost:{stage.rely}/login")

        def log_message(self, *_):
            pass

    authority, keys, certificate = (stage.folder / name for name in ("authority.pem", "other.key", "other.pem"))
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-x509")
    run("openssl", "req", *curve, "-subj", "/CN=authority", "-keyout", stage.folder / "authority.key", "-out", authority)
    # Browsers do not accept an authority's certificate as a site's.
    run("openssl", "req", *curve, "-subj", "/CN=other", "-addext", f"subjectAltName=DNS:{OTHER}",
        "-addext", "basicConstraints=critical,CA:FALSE", "-CA", authority, "-CAkey", stage.folder / "authority.key",
        "-keyout", keys, "-out", certificate)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", stage.elsewhere), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, keys)
    # Each connection's own thread does the handshake, so that a silent client does not keep out the others.
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return authority


def relying_party(stage):
    """Starts a web application in Flask that uses Authlib as its documentation says."""
    import flask
    from authlib.integrations.flask_client import OAuth
    from werkzeug.serving import make_server

    app = flask.Flask(__name__)
    app.secret_key = secrets.token_hex()
    oauth = OAuth(app)
    oauth.register(
        "baton", client_id=stage.client,
        server_metadata_url=f"{stage.login}/{stage.tenant}/v2.0/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid profile", "code_challenge_method": "S256", "token_endpoint_auth_method": "none"})
    callback = f"http://localhost:{stage.rely}/cb"

    @app.get("/start")
    def start():
        stage.await_ready()
        return leading_to(stage.authorize("nobody"))

    @app.get("/login")
    def login():
        stage.begun = time.monotonic()
        return oauth.baton.authorize_redirect(callback)

    @app.get("/cb")
    def returned():
        token = oauth.baton.authorize_access_token()
        stage.seen["who"] = token["userinfo"]["preferred_username"]
        stage.seen["milliseconds"] = round((time.monotonic() - stage.begun) * 1000)
        stage.done.set()
        return "signed in"

    server = make_server("127.0.0.1", stage.rely, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def lay_over_etc(stage, files):
    """Puts files over /etc, in this mount namespace only."""
    run("mount", "--make-rprivate", "/")
    layers = stage.folder / "layers"
    layers.mkdir()
    run("mount", "-t", "tmpfs", "tmpfs", layers)
    for name in ("upper", "work"):
        (layers / name).mkdir()
    for path, content in files.items():
        target = layers / "upper" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    options = f"lowerdir=/etc,upperdir={layers}/upper,workdir={layers}/work"
    run("mount", "-t", "overlay", "overlay", "-o", options, "/etc")


def der(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return text.split("-----BEGIN CERTIFICATE-----")[1].split("-----END CERTIFICATE-----")[0].replace("\n", "")


def chromium_policies(stage, certificates):
    return {
        "ExtensionSettings": {
            "*": {"installation_mode": "blocked"},
            stage.id: {"installation_mode": "force_installed", "update_url": stage.source}},
        "NativeMessagingBlocklist": ["*"], "NativeMessagingAllowlist": ["org.baton.browser"],
        "NativeMessagingUserLevelHosts": False, "IncognitoModeAvailability": 1,
        "CACertificates": [der(path) for path in certificates]}


def firefox_policies(stage, certificates):
    return {"policies": {
        "ExtensionSettings": {
            "*": {"installation_mode": "blocked"},
            stage.id: {"installation_mode": "force_installed", "install_url": stage.source}},
        "Preferences": {"xpinstall.signatures.required": {"Value": False, "Status": "locked"}},
        "Certificates": {"Install": [str(path) for path in certificates]},
        "DisableTelemetry": True, "DontCheckDefaultBrowser": True, "OverrideFirstRunPage": ""}}


def screen():
    """Starts a screen in memory. Returns its program and its name."""
    program = subprocess.Popen(
        ["/usr/bin/Xvfb", "-displayfd", "1", "-ac", "-nolisten", "tcp", "-screen", "0", "1024x768x24"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return program, ":" + program.stdout.readline().strip()


def browse(stage, command, start, options):
    """Opens a page in the browser. Returns when the last page was visited, or after the limit."""
    if stage.browser == "firefox":
        browser = subprocess.Popen([*command, start], **options)
    else:
        # As on a device, the page is opened once the extension is ready. A page that Chromium opens while it installs an
        # extension is sometimes never requested.
        browser = subprocess.Popen([*command, "about:blank"], **options)
        stage.await_ready()
        subprocess.run([*command, start], check=True, timeout=PATIENCE, **options)
    stage.done.wait(PATIENCE)
    browser.kill()
    browser.wait()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        stage = Stage(json.load(file))
    signal.alarm(int(PATIENCE) * 3)
    certificates = [stage.root, other_site(stage)]
    host = pathlib.Path(stage.host).read_text(encoding="utf-8")
    names = f"127.0.0.1 localhost {OTHER} {urllib.parse.urlsplit(stage.login).hostname}\n"
    home = stage.folder / "home"
    home.mkdir()
    start = f"http://localhost:{stage.rely}/start"
    if stage.browser == "chromium":
        lay_over_etc(stage, {
            "hosts": names, "chromium/policies/managed/baton.json": json.dumps(chromium_policies(stage, certificates)),
            "chromium/native-messaging-hosts/org.baton.browser.json": host})
        command = [
            "/usr/lib/chromium/chromium", f"--user-data-dir={home}/profile", "--no-first-run",
            "--password-store=basic", "--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    else:
        lay_over_etc(stage, {
            "hosts": names, "firefox/policies/policies.json": json.dumps(firefox_policies(stage, certificates))})
        hosts = home / ".mozilla/native-messaging-hosts"
        hosts.mkdir(parents=True)
        (hosts / "org.baton.browser.json").write_text(host, encoding="utf-8")
        (home / "profile").mkdir()
        command = ["/usr/lib/firefox-esr/firefox-esr", "--headless", "--profile", f"{home}/profile"]
    os.environ["REQUESTS_CA_BUNDLE"] = stage.root
    relying_party(stage)
    environment = {"HOME": str(home), "TMPDIR": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MOZ_LOG": ""}
    display, environment["DISPLAY"] = screen()
    with open(stage.folder / "browser.log", "wb") as log:
        browse(stage, command, start, {
            "env": environment, "stdin": subprocess.DEVNULL, "stdout": log, "stderr": subprocess.STDOUT})
    display.kill()
    display.wait()
    stage.seen["ready"] = stage.is_ready
    with open(stage.result + ".new", "w", encoding="utf-8") as file:
        json.dump(stage.seen, file)
    os.rename(stage.result + ".new", stage.result)


if __name__ == "__main__":
    main()
