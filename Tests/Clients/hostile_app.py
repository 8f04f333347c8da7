#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An app that overloads the broker's socket. One process; runs until it is killed.

    hostile_app.py SOCKET MODE CLIENT

MODE is
  loop    opens and closes connections as fast as it can;
  hold    opens as many connections as it can, sends hello on each, and reopens those that are closed;
  mute    like hold, but sends no hello;
  half    like hold, but also sends half of a frame of maximum length;
  queue   like hold, but also sends as many requests in the name of CLIENT as the socket takes, and reads no reply;
  spin    takes processor time and does not use the socket, as a control.
Sends READY=1 to NOTIFY_SOCKET after CONNECTIONS attempts to connect; spin sends it at once.
"""
import json
import os
import resource
import select
import socket
import struct
import sys

SOCKET, MODE, CLIENT = sys.argv[1:4]
# More than the broker allows any app.
CONNECTIONS = 600
LONGEST = 1 << 20


def frame(message):
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body


HELLO = frame({"hello": {"transport_min": 1, "transport_max": 1, "client_name": "hostile", "client_version": "1"}})
REQUESTS = b"".join(
    frame({
        "sso_request_id": str(number), "sso_request_operation": "baton.epoch", "is_silent": True,
        "sso_request_param": {"msg_protocol_ver": "4", "client_id": CLIENT},
    }) for number in range(64))
FIRST = {
    "spin": b"", "loop": b"", "mute": b"", "hold": HELLO, "queue": HELLO + REQUESTS * 8,
    "half": HELLO + struct.pack(">I", LONGEST) + b" " * (LONGEST // 2),
}[MODE]


def ready():
    path = os.environ.get("NOTIFY_SOCKET")
    if path:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.sendto(b"READY=1", "\0" + path[1:] if path.startswith("@") else path)


def attempt():
    """Returns a connection that has sent as much of its data as the socket took; None if it cannot connect or send."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(SOCKET)
        connection.setblocking(False)
        connection.send(FIRST)
    except OSError:
        connection.close()
        return None
    return connection


def main():
    if MODE == "spin":
        ready()
        while True:
            pass
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    held, tried = {}, 0
    watch = select.epoll()
    while True:
        connection = attempt()
        tried += 1
        if tried == CONNECTIONS:
            ready()
        if connection is None:
            continue
        if MODE == "loop":
            connection.close()
            continue
        held[connection.fileno()] = connection
        watch.register(connection, select.EPOLLHUP | select.EPOLLRDHUP)
        # With all connections open, this waits until a connection is closed; otherwise it only polls.
        for number, _ in watch.poll(-1 if len(held) >= CONNECTIONS else 0):
            held.pop(number).close()


main()
