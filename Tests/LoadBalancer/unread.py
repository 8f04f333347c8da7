#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client that reads an answer only after the server has begun to stop.

    unread.py SOCKET PID FIRST

The answer is an audit export of lines whose times are FIRST, FIRST + 1 and so on, in milliseconds. It is a little
longer than what fits into the connection, so the server has written all of it, and its end waits in the server. Prints
the number of bytes, and fails if the answer has no end.
"""
import os
import signal
import socket
import sys

path, pid, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def ask(target):
    wire = socket.socket(socket.AF_UNIX)
    wire.settimeout(60)
    wire.connect(path)
    wire.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return wire


def export(lines):
    return ask(f"/identity/tenants/-/audit/export?from={first}&to={first + lines}")


def rest(wire, received, end):
    while not received.endswith(end):
        piece = wire.recv(65536)
        if not piece:
            sys.exit(f"the answer ended early, after {len(received)} bytes")
        received += piece
    return received


def capacity():
    """The number of bytes that a connection holds."""
    writer, reader = socket.socketpair(socket.AF_UNIX)
    with writer, reader:
        writer.setblocking(False)
        total = 0
        try:
            while True:
                total += writer.send(bytes(1 << 20))
        except BlockingIOError:
            return total


end = b"\r\n0\r\n\r\n"
few, more = (len(rest(export(lines), b"", end)) for lines in (10, 20))
slow = export(10 + (capacity() + 16384 - few) * 10 // (more - few))
# All lines are one page, which the server writes as a whole after the head.
begun = b""
while b"{" not in begun:
    begun += slow.recv(1000)
# A connection without a request ends when the server stops. The server's threads share its connections.
idle = [ask("/identity/tenants") for _ in range(4 * os.cpu_count())]
for wire in idle:
    rest(wire, b"", b"]")
os.kill(pid, signal.SIGTERM)
for wire in idle:
    assert wire.recv(1) == b"", "the server sent more"
print(len(rest(slow, begun, end)))
