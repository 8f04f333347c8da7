#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A proxy between a device and its server that forwards requests and answers chosen ones with lies.

    lying_proxy.py PORT CERTIFICATE KEY ORDERS       127.0.0.2:PORT -> 127.0.0.1:PORT, both TLS

ORDERS is a file that is read again for each request. Its first line is a regular expression for "PATH BODY CLAIMS",
where CLAIMS is the content of a signed request in the body. Each further line is a lie. Each matching request is
answered with the next lie and does not reach the server; after the last lie, requests are forwarded. Without the file
there are no lies. Prints "lied LIE" for each lie. Prints "passed PATH ID GRANT" for every request that reaches the
server, with the app's correlation id and the grant type, each "-" if missing, and "sent SHAPE" (wire_shape.py).

These lies use the file NAME in the folder of ORDERS:
    keep:NAME     not a lie: forwards the request, and also stores the answer in the file
    brief:NAME    the same, but the primary refresh token in the answer is valid for two seconds
    say:NAME      waits until the file exists, and answers with its content
"""
import asyncio
import base64
import json
import os
import re
import socket
import ssl
import sys
import urllib.parse

import wire_shape

PORT, CERTIFICATE, KEY, ORDERS = int(sys.argv[1]), *sys.argv[2:5]
LIMIT = 4 << 20  # the most bytes of an answer that the device reads
CLOSE = b"Connection: close\r\n"
told = ("", 0)


def answer(status, body, more=""):
    return f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


def next_lie(request):
    """Returns the lie for this request; None if it must be forwarded."""
    global told
    try:
        with open(ORDERS, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    pattern, *lies = text.splitlines()
    if told[0] != text:
        told = (text, 0)
    if told[1] >= len(lies) or not re.search(pattern, request):
        return None
    told = (text, told[1] + 1)
    return lies[told[1] - 1]


def beside(name):
    return os.path.join(os.path.dirname(ORDERS), name)


def claims(body):
    """Returns the content of the signed request in a form; empty if there is none."""
    request = urllib.parse.parse_qs(body).get("request", [""])[0].split(".")
    if len(request) != 3:
        return ""
    return base64.urlsafe_b64decode(request[1] + "=" * (-len(request[1]) % 4)).decode(errors="replace")


async def keep(kind, head, body, writer):
    """Forwards a request and stores the answer: unchanged, or with a token that expires after two seconds."""
    kind, _, name = kind.partition(":")
    answered = asyncio.StreamReader()
    await pass_on(head, body, Answer(answered))
    answered.feed_eof()
    status, _, rest = (await answered.read()).partition(b"\r\n")
    content = rest.partition(b"\r\n\r\n")[2]
    if b"chunked" in rest[: len(rest) - len(content)].lower():
        raise SystemExit("lying_proxy.py: chunked answers cannot be kept")
    if kind == "brief":
        said = json.loads(content)
        content = json.dumps(said | {"refresh_token_expires_in": 2}).encode()
    with open(beside(name) + ".new", "wb") as file:
        file.write(content)
    os.rename(beside(name) + ".new", beside(name))
    writer.write(answer(status.split(b" ", 1)[1].decode(), content))
    await writer.drain()


class Answer:
    """A writer that receives an answer in place of the device."""

    def __init__(self, reader):
        self.write = reader.feed_data

    async def drain(self):
        pass


async def lie(kind, head, body, writer):
    print("lied", kind, flush=True)
    if kind.startswith(("keep:", "brief:")):
        return await keep(kind, head, body, writer)
    if kind.startswith("say:"):
        while not os.path.exists(beside(kind[4:])):
            await asyncio.sleep(0.02)
        with open(beside(kind[4:]), "rb") as file:
            writer.write(answer("200 OK", file.read()))
    elif kind == "nonsense":
        writer.write(answer("200 OK", b"<html>\xff\x00 all is well"))
    elif kind == "other":
        writer.write(answer("200 OK", b'{"ended":"true","access_token":7,"Nonce":[],"error":{}}'))
    elif kind == "empty":
        writer.write(answer("200 OK", b""))
    elif kind == "error":
        writer.write(answer("500 Internal Server Error", b"no"))
    elif kind == "busy":
        said = b'{"error":"temporarily_unavailable","error_description":"AADSTS90033: busy","error_codes":[90033]}'
        writer.write(answer("503 Service Unavailable", said, "Retry-After: 5\r\nContent-Type: application/json\r\n"))
    elif kind == "redirect":
        writer.write(answer("307 Temporary Redirect", b"", f"Location: https://login.baton.test:{PORT}/\r\n"))
    elif kind == "huge":
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {1 << 40}\r\n\r\n".encode())
        for _ in range(LIMIT // 65536 + 64):
            writer.write(b" " * 65536)
            await writer.drain()
    elif kind == "cut":
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"ended":true,')
        await writer.drain()
        writer.transport.abort()
    elif kind == "drip":
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
        for _ in range(5000):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.2)
    else:
        raise SystemExit(f"lying_proxy.py: no lie is called {kind}")
    await writer.drain()


async def serve(reader, writer):
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        body = await reader.readexactly(int(length.group(1))) if length else b""
        text = body.decode(errors="replace")
        told_lie = next_lie(" ".join([head.split(b" ")[1].decode(), text, claims(text)]))
        if told_lie:
            await lie(told_lie, head, body, writer)
        else:
            await pass_on(head, body, writer)
        writer.close()
    except (OSError, asyncio.IncompleteReadError):
        writer.transport.abort()


def note_passed(head, body):
    """Prints which request is forwarded to the server."""
    named = re.search(rb"(?i)\r\nclient-request-id: *([^\r]+)", head)
    grant = urllib.parse.parse_qs(body.decode(errors="replace")).get("grant_type", ["-"])[0]
    print("passed", head.split(b" ")[1].decode(), named.group(1).decode() if named else "-", grant, flush=True)
    print("sent", wire_shape.of_wire(head, body), flush=True)


async def pass_on(head, body, writer):
    note_passed(head, body)
    blind = ssl.create_default_context()
    blind.check_hostname, blind.verify_mode = False, ssl.CERT_NONE
    server_reader, server_writer = await asyncio.open_connection("127.0.0.1", PORT, ssl=blind)
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    server_writer.write(b"\r\n".join([lines[0], b"Connection: close"] + lines[1:]) + body)
    # Each connection serves one request; the header tells the device so.
    writer.write(await server_reader.readline() + CLOSE)
    while data := await server_reader.read(65536):
        writer.write(data)
        await writer.drain()
    server_writer.close()


async def main():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE, KEY)
    server = await asyncio.start_server(serve, "127.0.0.2", PORT, ssl=tls)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
        notice.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
    async with server:
        await server.serve_forever()


asyncio.run(main())
