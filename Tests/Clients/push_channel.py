#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds a device's push channel as a client other than batond, and reports the outcome.

    push_channel.py HOST PORT PATH ROOT.pem [IDENTITY.pem]

Sends READY=1 (sd_notify) at the first message. Exit codes: 0 the server ended the channel, 2 the server refused it with
a status, 3 the connection failed before a status.
"""
import http.client
import os
import socket
import ssl
import sys

host, port, path, root = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
tls = ssl.create_default_context(cafile=root)
if len(sys.argv) > 5:
    tls.load_cert_chain(sys.argv[5])


def ready():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
        notice.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])


try:
    connection = http.client.HTTPSConnection(host, port)
    connection.sock = tls.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname=host)
    connection.request("POST", path, body="{}", headers={"Content-Type": "application/json"})
    answer = connection.getresponse()
except (OSError, http.client.HTTPException) as error:
    print("refused", error, flush=True)
    sys.exit(3)
print("status", answer.status, flush=True)
if answer.status != 200:
    sys.exit(2)
first = True
while message := answer.readline():
    print(message.decode().strip(), flush=True)
    if first and "NOTIFY_SOCKET" in os.environ:
        ready()
    first = False
