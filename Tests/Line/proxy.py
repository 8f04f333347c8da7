#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A proxy between a device and its server. On SIGUSR1 it begins to drop everything that the server sends on the
connections that are open at that moment. Later connections are not affected.

    proxy.py PORT       127.0.0.2:PORT -> 127.0.0.1:PORT
"""
import asyncio
import os
import signal
import socket
import sys

port = int(sys.argv[1])
generation = 0


async def pump(reader, writer, mine, swallows):
    try:
        while data := await reader.read(65536):
            if swallows and mine < generation:
                print("swallowed", len(data), flush=True)
                continue
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    if not (swallows and mine < generation):
        writer.close()


async def serve(reader, writer):
    mine = generation
    server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(pump(reader, server_writer, mine, False), pump(server_reader, writer, mine, True))


def swallow():
    global generation
    generation += 1


async def main():
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, swallow)
    server = await asyncio.start_server(serve, "127.0.0.2", port)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
        notice.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
    async with server:
        await server.serve_forever()


asyncio.run(main())
