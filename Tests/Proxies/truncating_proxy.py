# SPDX-License-Identifier: Apache-2.0
"""Passes on only the beginning of the server's answers on the administration socket.

Usage: truncating_proxy.py SOCKET REAL BYTES cut|hold|end

Listens on SOCKET and passes each connection on to REAL. After BYTES bytes of an answer, cuts the connection, or keeps
it and passes nothing more on until SIGUSR1. With `end`, passes on the whole lines among the first BYTES bytes of a body
in chunks (RFC 9112 section 7.1), and then the regular end of the body. Sends READY=1 (sd_notify) when it listens.
"""
import os
import signal
import socket
import sys
import threading

path, real, limit, how = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
released = threading.Event()
signal.signal(signal.SIGUSR1, lambda *_: released.set())


def send(source, target):
    while piece := source.recv(65536):
        target.sendall(piece)


def end(server, client):
    answer = b""
    while not answer.endswith(b"\r\n0\r\n\r\n"):
        answer += server.recv(65536)
    head, _, rest = answer.partition(b"\r\n\r\n")
    body = b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        body, rest = body + rest[:int(size, 16)], rest[int(size, 16) + 2:]
    lines = body[:body.rindex(b"\n", 0, limit) + 1]
    client.sendall(head + b"\r\n\r\n%x\r\n" % len(lines) + lines + b"\r\n0\r\n\r\n")


def serve(client):
    server = socket.socket(socket.AF_UNIX)
    server.connect(real)
    threading.Thread(target=send, args=(client, server), daemon=True).start()
    if how == "end":
        return end(server, client)
    rest = limit
    while rest > 0 and (piece := server.recv(rest)):
        client.sendall(piece)
        rest -= len(piece)
    if how == "hold":
        released.wait()
        send(server, client)
    for side in (client, server):
        side.shutdown(socket.SHUT_RDWR)


with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(path)
    listener.listen()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
        notice.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
