#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forwards messages between baton-agent and batond, and cuts the connection at a chosen message.

    cutting_proxy.py LISTEN CONNECT ORDERS       two Unix sockets, and a file

ORDERS holds the name of a message ("hello", "open", "opened", "close", "closed", …) and is read again for each message.
When a message with that name arrives, half of its frame is forwarded, the file is removed, and both connections are
closed. Writes "cut NAME".
"""
import asyncio
import json
import os
import socket
import sys

LISTEN, CONNECT, ORDERS = sys.argv[1:4]


def is_to_be_cut(name):
    try:
        with open(ORDERS, encoding="utf-8") as file:
            wanted = file.read().strip()
    except FileNotFoundError:
        return False
    if wanted != name:
        return False
    os.remove(ORDERS)
    return True


async def pass_on(reader, writer):
    """Forwards whole frames. Returns when one was cut or a connection has ended."""
    try:
        while True:
            head = await reader.readexactly(4)
            body = await reader.readexactly(int.from_bytes(head, "big"))
            name = next(iter(json.loads(body)))
            frame = head + body
            if is_to_be_cut(name):
                print("cut", name, flush=True)
                writer.write(frame[: len(frame) // 2])
                await writer.drain()
                return
            writer.write(frame)
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        return


async def serve(reader, writer):
    try:
        far_reader, far_writer = await asyncio.open_unix_connection(CONNECT)
    except OSError:
        writer.close()
        return
    tasks = [asyncio.ensure_future(pass_on(reader, far_writer)), asyncio.ensure_future(pass_on(far_reader, writer))]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    writer.close()
    far_writer.close()


async def main():
    server = await asyncio.start_unix_server(serve, LISTEN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
        notice.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
    async with server:
        await server.serve_forever()


asyncio.run(main())
