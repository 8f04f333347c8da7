#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A CONNECT proxy on loopback that connects a fixed list of host names to TLS ports and refuses all others.

    proxy.py --port-file FILE --target PORT HOST[=PORT]…

TLS stays end to end, including the certificates of both sides. Whatever host names a client has built in, nothing
leaves this machine. Listens on a free port, writes its number to FILE, sends READY=1 to NOTIFY_SOCKET, and prints a
line for each requested name.
"""
import argparse
import asyncio
import os
import pathlib
import socket

LIMIT = 16 * 1024  # bytes of a request's head
PATIENCE = 30.0  # seconds for the head to arrive


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except (ConnectionError, OSError):
        writer.close()


async def answer(hosts, reader, writer):
    try:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.TimeoutError, ConnectionError):
        return writer.close()
    words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    host = words[1].rpartition(":")[0].lower() if len(words) == 3 and words[0] == "CONNECT" else None
    if host not in hosts:
        print("refused", host or words[0], flush=True)
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        return writer.close()
    print("led", host, flush=True)
    other_reader, other_writer = await asyncio.open_connection("127.0.0.1", hosts[host])
    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    await asyncio.gather(pump(reader, other_writer), pump(other_reader, writer))
    other_writer.close()
    writer.close()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port-file", type=pathlib.Path, required=True)
    parser.add_argument("--target", type=int, required=True)
    parser.add_argument("hosts", nargs="+")
    options = parser.parse_args()
    hosts = {}
    for host in options.hosts:
        name, _, port = host.partition("=")
        hosts[name.lower()] = int(port or options.target)
    server = await asyncio.start_server(
        lambda reader, writer: answer(hosts, reader, writer), "127.0.0.1", 0, limit=LIMIT)
    options.port_file.write_text(str(server.sockets[0].getsockname()[1]))
    if notices := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
            notice.connect("\0" + notices[1:] if notices.startswith("@") else notices)
            notice.send(b"READY=1")
    await server.serve_forever()


asyncio.run(main())
