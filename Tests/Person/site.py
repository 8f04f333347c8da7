#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small sign-in site for the tests of person.py and baton-agent.

    site.py FOLDER EVENTS

Serves https with its own certificate (in FOLDER) under the name login.baton.test, and the broker's pages on
http://127.0.0.1: /start redirects to the sign-in page, /end is the last page. Writes its ports and the certificate's
SPKI hash to FOLDER/site.json, sends READY=1 to NOTIFY_SOCKET, and sends each event to the datagram socket EVENTS.
"""
import base64
import hashlib
import http.server
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
import urllib.parse

FOLDER, EVENTS = sys.argv[1:]
PAGE = """<!doctype html><title>Sign in</title>
<form method="post" action="/login">{alert}
<input type="hidden" name="csrf" value="x"><input name="trap" autocomplete="username" style="display:none">
<p><label>Account <input name="username" autocomplete="username"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
<button type="submit">Sign in</button></form>"""


def tell(**event):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.sendto(json.dumps(event, sort_keys=True).encode(), EVENTS)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body="", **headers):
        self.send_response(status)
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": len(body.encode()), **headers}
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body.encode())


class Login(Handler):
    def do_GET(self):
        if self.path == "/login":
            self.answer(200, PAGE.format(alert=""), Set_Cookie="__Host-visit=1; Secure; Path=/; Max-Age=9999")
            tell(event="page")
        else:
            self.answer(404)

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        tell(event="submitted", username=form.get("username"), password=form.get("password"))
        if form.get("password", "").startswith("not "):
            self.answer(200, PAGE.format(alert='<p role="alert">The password is wrong.</p>'))
        else:
            self.answer(302, Location=f"http://127.0.0.1:{broker.server_port}/end?code=code")


class Broker(Handler):
    def do_GET(self):
        if self.path == "/start":
            self.answer(302, Location=f"https://login.baton.test:{login.server_port}/login")
        elif self.path.startswith("/end?"):
            self.answer(200, "<!doctype html><title>Done</title><p>You may go back.</p>")
            tell(event="end")
        else:
            self.answer(404)


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *arguments], input=data, stdout=subprocess.PIPE, check=True).stdout


key, certificate = os.path.join(FOLDER, "site.key"), os.path.join(FOLDER, "site.pem")
openssl(
    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
    "-days", "2", "-subj", "/CN=login.baton.test", "-addext", "subjectAltName=DNS:login.baton.test", "-batch")
public = openssl("pkey", "-pubin", "-outform", "der", data=openssl("x509", "-in", certificate, "-pubkey", "-noout"))

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
login = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Login)
login.socket = context.wrap_socket(login.socket, server_side=True, do_handshake_on_connect=False)
broker = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Broker)
with open(os.path.join(FOLDER, "site.json"), "w", encoding="utf-8") as out:
    spki = base64.b64encode(hashlib.sha256(public).digest()).decode()
    json.dump({"broker": broker.server_port, "login": login.server_port, "spki": spki}, out)
threading.Thread(target=login.serve_forever, daemon=True).start()
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
    manager.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
broker.serve_forever()
