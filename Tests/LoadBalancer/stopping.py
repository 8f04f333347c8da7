#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of a server that stops.

    stopping.py HOW PORT MDM_PORT HEALTH_PORT ROOT.pem PID

HOW is what the clients do, after each of them has had one answer and kept its connection:

    ignore    they do not read their connections
    answer    when the server ends TLS, they end it, too, and keep the connection
    close     when the server ends TLS, they close the connection
    request   one of them is sending a request; it stops the server, and sends the rest of the request when the server
              has closed the other connections of the listener

Prints "held" when all connections are kept.
"""
import os
import signal
import socket
import ssl
import sys

how, root = sys.argv[1], sys.argv[5]
port, mdm_port, health_port, pid = (int(sys.argv[place]) for place in (2, 3, 4, 6))
tls = ssl.create_default_context(cafile=root)


def connected(port, name):
    wire = socket.create_connection(("127.0.0.1", port), 60)
    return tls.wrap_socket(wire, server_hostname=name, suppress_ragged_eofs=False) if name else wire


def idle(port, name=None):
    wire = connected(port, name)
    wire.sendall(f"GET /nothing HTTP/1.1\r\nHost: {name or 'health'}\r\n\r\n".encode())
    assert b"HTTP/1.1 " in wire.recv(65536)
    return wire


wires = [idle(mdm_port, "mdm.test"), idle(mdm_port, "mdm.test"), idle(port, "login.test"), idle(port, "login.test")]
health = idle(health_port)
if how == "request":
    # The beginning of this request directly follows another request. When the other request is answered, the server has
    # read both.
    busy, body = connected(port, "login.test"), b"grant_type=none"
    first = "GET /nothing HTTP/1.1\r\nHost: login.test\r\n\r\n"
    head = "POST /organizations/oauth2/v2.0/token HTTP/1.1\r\nHost: login.test\r\nContent-Length: " + str(len(body))
    head += "\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
    busy.sendall((first + head).encode() + body[:5])
    received = b""
    while b"\r\n\r\n" not in received:
        received += busy.recv(65536)
    fields, rest = received.lower().split(b"\r\n\r\n", 1)
    missing = int(fields.split(b"content-length:")[1].split()[0]) - len(rest)
    while missing > 0:
        missing -= len(busy.recv(missing))
print("held", flush=True)
if how == "ignore":
    signal.pause()
if how == "request":
    os.kill(pid, signal.SIGTERM)
for wire in wires:
    assert wire.recv(1) == b"", "the server sent more"
    if how == "answer":
        wire.unwrap()
    else:
        wire.close()
if how == "request":
    busy.sendall(body[5:])
    answer = b""
    while piece := busy.recv(65536):
        answer += piece
    print(answer.decode(), flush=True)
    assert answer.startswith(b"HTTP/1.1 400 "), "the request was not answered"
assert health.recv(1) == b"", "the health check was answered twice"
