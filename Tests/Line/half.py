# SPDX-License-Identifier: Apache-2.0
"""Passes on only the beginning of the server's answers on the administration socket.

Usage: half.py SOCKET REAL BYTES cut|hold

Listens on SOCKET and passes each connection on to REAL. After BYTES bytes of an answer, cuts the connection, or keeps
it and passes nothing more on until SIGUSR1. Sends READY=1 (sd_notify) when it listens.
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


def serve(client):
    server = socket.socket(socket.AF_UNIX)
    server.connect(real)
    threading.Thread(target=send, args=(client, server), daemon=True).start()
    rest = limit
    while rest > 0 and (piece := server.recv(rest)):
        client.sendall(piece)
        rest -= len(piece)
    if how == "hold":
        released.wait()
        send(server, client)
    for end in (client, server):
        end.shutdown(socket.SHUT_RDWR)


with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(path)
    listener.listen()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
        notice.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
