# SPDX-License-Identifier: Apache-2.0
"""Sends bodies that are malformed, or that do not end, to the HTTPS interface of administration with a valid token.

    unfinished_bodies.py HOST PORT ROOT TOKEN

Prints one line for each request: its name, the statuses of all answers on its connection, the code of the refusal, and the
seconds until the connection was closed.
"""
import json
import re
import socket
import ssl
import sys
import time

HOST, PORT, ROOT, TOKEN = sys.argv[1:]
CONTEXT = ssl.create_default_context(cafile=ROOT)
HEAD = f"POST /identity/tenants/-/groups HTTP/1.1\r\nHost: {HOST}\r\n"
AUTHORIZED = f"{HEAD}Authorization: Bearer {TOKEN}\r\n"
GROUP = '{"displayName":"Ward"}'


def connect():
    return CONTEXT.wrap_socket(socket.create_connection(("127.0.0.1", int(PORT)), 30), server_hostname=HOST)


def talk(name, text, drip=False):
    answer, begun = b"", time.monotonic()
    with connect() as wire:
        try:
            wire.sendall(text.encode())
            wire.settimeout(0.1 if drip else 30)
            while True:
                try:
                    data = wire.recv(65536)
                except TimeoutError:
                    wire.sendall(b" ")
                    continue
                if not data:
                    break
                answer += data
        except (ssl.SSLError, ConnectionError):
            pass
    statuses = re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)
    body = answer.rpartition(b"\r\n\r\n")[2]
    code = json.loads(body).get("error", {}).get("code", "none") if body else "none"
    print(name, ",".join(status.decode() for status in statuses) or "none", code, int(time.monotonic() - begun))


CHUNKED = "Transfer-Encoding: chunked\r\n\r\n"
for name, body in (
    ("negative", f"-1\r\n{GROUP}"), ("huge", f"ffffffffffffffffff\r\n{GROUP}"), ("letters", "zz\r\n"),
    ("separator", f"16\r\n{GROUP}XX\r\n"), ("trailer", f"16\r\n{GROUP}\r\n0\r\nbad trailer\r\n\r\n"),
):
    talk(name, AUTHORIZED + CHUNKED + body)
talk("stranger", HEAD + CHUNKED + "zz\r\n")
talk("announced", f"{AUTHORIZED}Content-Length: 10000000000\r\n\r\n{'x' * 100}")
talk("stalled", f"{AUTHORIZED}Content-Length: 1000\r\n\r\n{{")
talk("dripping", f"{AUTHORIZED}Content-Length: 1000\r\n\r\n{{", drip=True)
# A client that goes away. Nobody reads an answer.
with connect() as wire:
    wire.sendall(f'{AUTHORIZED}Content-Length: 100\r\n\r\n{{"di'.encode())
with connect() as wire:
    wire.sendall(f'{AUTHORIZED}Content-Length: 100\r\n\r\n{{"di'.encode())
    wire.shutdown(socket.SHUT_WR)
    time.sleep(0.5)
talk("correct", f"{AUTHORIZED}Connection: close\r\nContent-Length: {len(GROUP)}\r\n\r\n{GROUP}")
