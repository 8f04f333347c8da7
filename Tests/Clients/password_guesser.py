# SPDX-License-Identifier: Apache-2.0
"""Guesses a user's password at the sign-in page, without a joined device.

    password_guesser.py PORT ROOT TENANT CLIENT USER PASSWORD…

Prints a line for each password: the AADSTS number of the page's alert, or "in" if there is none.
"""
import html
import http.client
import re
import socket
import ssl
import sys
import urllib.parse

HOST = "login.baton.test"
port, root, tenant, client, user = int(sys.argv[1]), *sys.argv[2:6]
tls = ssl.create_default_context(cafile=root)


def ask(method, path, body=None, cookie=None):
    connection = http.client.HTTPSConnection(HOST, port)
    connection.sock = tls.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname=HOST)
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    if cookie:
        headers["Cookie"] = cookie
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


query = urllib.parse.urlencode({
    "client_id": client, "response_type": "code", "redirect_uri": "http://127.0.0.1", "scope": "openid", "state": "s",
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"})
shown, page = ask("GET", f"/{tenant}/oauth2/v2.0/authorize?{query}")
cookie = shown.getheader("Set-Cookie").split(";")[0]
fields = {name: html.unescape(re.search(f'name="{name}" value="([^"]*)"', page).group(1)) for name in ("csrf", "request")}
for password in sys.argv[6:]:
    form = urllib.parse.urlencode(fields | {"username": user, "password": password})
    _, page = ask("POST", f"/{tenant}/login", form, cookie)
    alert = re.search(r"AADSTS(\d+)", page)
    print(alert.group(1) if alert else "in", flush=True)
