#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forwards bytes between two Unix sockets, so that the broker sees this process as the client.

    socket_proxy.py LISTEN CONNECT
"""
import os
import socket
import sys
import threading


def pump(source, sink):
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def main():
    listen, connect = sys.argv[1:3]
    with socket.socket(socket.AF_UNIX) as listener:
        # The path appears only once the socket accepts connections.
        listener.bind(listen + ".new")
        listener.listen()
        os.rename(listen + ".new", listen)
        print("ready", flush=True)
        while True:
            near = listener.accept()[0]
            far = socket.socket(socket.AF_UNIX)
            far.connect(connect)
            for ends in ((near, far), (far, near)):
                threading.Thread(target=pump, args=ends, daemon=True).start()


if __name__ == "__main__":
    main()
