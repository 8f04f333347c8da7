# SPDX-License-Identifier: Apache-2.0
"""Requests that no well-behaved client sends, byte by byte to the server's TLS port."""
import re
import socket
import ssl
import time
import urllib.parse

from ambiguous import ambiguous_requests
from baton_tests import device_context, facts, run

HOST = urllib.parse.urlsplit(facts.login).hostname
PORT = urllib.parse.urlsplit(facts.login).port
TOKEN = f"/{facts.tenant}/oauth2/v2.0/token"
PAGE = f"/{facts.tenant}/v2.0/.well-known/openid-configuration"
DEADLINE = 2  # seconds for a request, if the case's server has a short deadline (`requestDeadline`)
FORM = "grant_type=nothing"
DEVICES = urllib.parse.urlsplit(facts.mdm)
SMUGGLED = f"GET {PAGE} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"


def talk(*parts, ends=True, source="127.0.0.1"):
    """Sends bytes on one connection. Returns the statuses of the answers, and all that was received.

    Reads until the server closes the connection or, if `ends` is false, until the first head is complete.
    """
    context = ssl.create_default_context(cafile=facts.root)
    with socket.create_connection(("127.0.0.1", PORT), source_address=(source, 0)) as plain:
        with context.wrap_socket(plain, server_hostname=HOST) as wire:
            wire.settimeout(50)
            answer = b""
            try:
                for part in parts:
                    wire.sendall(part if isinstance(part, bytes) else part.encode("latin-1"))
                while data := wire.recv(65536):
                    answer += data
                    if not ends and b"\r\n\r\n" in answer:
                        break
            except (ssl.SSLError, ConnectionError):
                pass  # the server closed the connection while we sent
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)], answer


def request(method="POST", path=TOKEN, headers=(), body=FORM, host=f"Host: {HOST}\r\n"):
    lines = "".join(f"{header}\r\n" for header in headers)
    return f"{method} {path} HTTP/1.1\r\n{host}{lines}\r\n{body}"


def case_good():
    """Correct requests are answered, even two on one connection, so the refusals below are due to the faults."""
    length = f"Content-Length: {len(FORM)}"
    statuses, _ = talk(request(headers=[length]), request(headers=[length, "Connection: close"]))
    assert statuses == [400, 400], statuses
    chunked = f"{len(FORM):x}\r\n{FORM}\r\n0\r\n\r\n"
    statuses, answer = talk(request(headers=["Transfer-Encoding: chunked", "Connection: close"], body=chunked))
    assert statuses == [400] and b"AADSTS70003" in answer, answer


def case_smuggling():
    """If two readers could disagree about the end of a request's body, the request gets at most one refusal, and the
    connection is closed."""
    for name, headers, body in ambiguous_requests(FORM, SMUGGLED):
        statuses, answer = talk(request(headers=headers, body=body))
        assert b"openid" not in answer and b"issuer" not in answer, (name, answer)
        assert len(statuses) <= 1 and all(400 <= status < 500 for status in statuses), (name, statuses)


def case_host():
    """A request needs exactly one Host field with one of our names. No other field changes the host."""
    for name, host in [
        ("another's name", "Host: evil.test\r\n"), ("an address", "Host: 127.0.0.1\r\n"),
        ("a longer name", f"Host: {HOST}.evil.test\r\n"), ("a name with a user", f"Host: {HOST}@evil.test\r\n"),
        ("two names", f"Host: {HOST}\r\nHost: evil.test\r\n"), ("none", ""), ("an empty one", "Host: \r\n"),
    ]:
        statuses, answer = talk(request("GET", PAGE, ["Connection: close"], "", host))
        assert len(statuses) == 1 and statuses[0] in (400, 421), (name, statuses)
        assert b"evil.test" not in answer, (name, answer)
    for forwarded in ("X-Forwarded-Host: evil.test", "Forwarded: host=evil.test", "X-Original-URL: /x"):
        statuses, answer = talk(request("GET", PAGE, [forwarded, "Connection: close"], ""))
        assert statuses == [200] and b"evil.test" not in answer, (forwarded, answer)


def case_limits():
    """Heads, bodies and parameters have limits. A request over a limit is refused, or its connection closed."""
    statuses, _ = talk(request("GET", PAGE, [f"X-{n}: y" for n in range(120)], ""))
    assert statuses in ([431], [400], []), statuses
    statuses, _ = talk(request("GET", PAGE, [f"X-{n}: {'y' * 8000}" for n in range(6)], ""))
    assert statuses in ([431], [400], []), statuses
    statuses, _ = talk(request("GET", "/" + "x" * 40000, ["Connection: close"], ""))
    assert statuses in ([414], [431], [400], []), statuses
    big = "a=" + "x" * (70 * 1024)
    statuses, answer = talk(request(headers=[f"Content-Length: {len(big)}", "Connection: close"], body=big))
    assert statuses in ([413], []), (statuses, answer[:200])
    many = "&".join(f"p{n}=1" for n in range(65))
    statuses, answer = talk(request(headers=[f"Content-Length: {len(many)}", "Connection: close"], body=many))
    assert statuses == [413] and b"AADSTS90098" in answer, (statuses, answer)
    statuses, answer = talk(request("GET", f"/{facts.tenant}/oauth2/v2.0/authorize?{many}", ["Connection: close"], ""))
    assert statuses == [413] and b"AADSTS90098" in answer, (statuses, answer)


def dripped(start, host=HOST, port=PORT, context=None):
    """Sends `start` and then single bytes until the server closes, which must not be long before the deadline."""
    context = context or ssl.create_default_context(cafile=facts.root)
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port)) as plain:
        with context.wrap_socket(plain, server_hostname=host) as wire:
            wire.sendall(start.encode())
            statuses, _ = talk(request("GET", PAGE, ["Connection: close"], ""))
            assert statuses == [200], statuses
            try:
                for _ in range(300):
                    wire.sendall(b"b")
                    wire.settimeout(0.05)
                    try:
                        # Bytes before the end are an answer.
                        if not wire.recv(65536):
                            break
                    except TimeoutError:
                        pass
                    wire.settimeout(50)
                else:
                    raise AssertionError(f"a request may take as long as it likes: {start!r}")
            except (ssl.SSLError, ConnectionError):
                pass
    assert time.monotonic() - begun > DEADLINE / 2, f"hung up on for another reason: {start!r}"


def case_slow():
    """A request that never ends is cut off, even if bytes keep coming. Another request is served meanwhile."""
    dripped(request(headers=["Content-Length: 60000"], body="a="))
    dripped(f"POST {TOKEN} HTTP/1.1\r\nHost: {HOST}\r\nX-Slow: ")


def case_slow_device():
    """The devices' listener also cuts off such a request, with and without a device's certificate, on both paths."""
    place = f"Host: {DEVICES.hostname}\r\n"
    for context in (None, device_context()):
        for method, path in (("PUT", ""), ("POST", "/push")):
            start = request(method, f"/mdm/{facts.tenant}{path}", ["Content-Length: 60000"], "<", place)
            dripped(start, DEVICES.hostname, DEVICES.port, context)


def case_device_host():
    """The devices' listener answers only to its own name, with or without a port."""
    context = ssl.create_default_context(cafile=facts.root)
    name, port = DEVICES.hostname, DEVICES.port
    for host, path, status in (
        (name, f"/mdm/{facts.tenant}", 405), (f"{name.upper()}:{port}", f"/mdm/{facts.tenant}", 405),
        (name, "/nothing", 404), (HOST, f"/mdm/{facts.tenant}", 421), ("evil.test", "/nothing", 421),
        (f"127.0.0.1:{port}", f"/mdm/{facts.tenant}", 421), (f"{name}.", f"/mdm/{facts.tenant}", 421),
    ):
        with socket.create_connection(("127.0.0.1", port), 50) as plain:
            with context.wrap_socket(plain, server_hostname=name) as wire:
                wire.sendall(request("GET", path, ["Connection: close"], "", f"Host: {host}\r\n").encode())
                answer = wire.recv(65536)
        assert answer.startswith(f"HTTP/1.1 {status} ".encode()), (host, path, answer[:80])


def case_mute():
    """Silent connections of one address can take only a share of all connections, and are closed after a while."""
    for port in (PORT, DEVICES.port):
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(70)]
        if port == PORT:
            statuses, _ = talk(request("GET", PAGE, ["Connection: close"], ""), source="127.0.0.2")
            assert statuses == [200], statuses
        else:
            context = ssl.create_default_context(cafile=facts.root)
            with socket.create_connection(("127.0.0.1", port), 5, source_address=("127.0.0.2", 0)) as plain:
                context.wrap_socket(plain, server_hostname=DEVICES.hostname).close()
        for wire in held:
            wire.settimeout(50)
            try:
                assert wire.recv(1) == b""
            except ConnectionError:
                pass  # refused
        # A connection that only completes its handshake is closed, too.
        context = ssl.create_default_context(cafile=facts.root)
        with socket.create_connection(("127.0.0.1", port), 50) as plain:
            with context.wrap_socket(plain, server_hostname=HOST if port == PORT else DEVICES.hostname) as wire:
                try:
                    assert wire.recv(1) == b""
                except (ssl.SSLError, ConnectionError):
                    pass
    statuses, _ = talk(request("GET", PAGE, ["Connection: close"], ""))
    assert statuses == [200], statuses


def case_deaf():
    """The connection of a client that sends requests and never reads is closed."""
    context = ssl.create_default_context(cafile=facts.root)
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.connect(("127.0.0.1", PORT))
        with context.wrap_socket(plain, server_hostname=HOST) as wire:
            wire.settimeout(50)
            try:
                for _ in range(200000):
                    wire.sendall(request("GET", PAGE, (), "").encode())
            except (ssl.SSLError, ConnectionError):
                return
    raise AssertionError("everything was taken, and nothing was read")


def case_crowd():
    """Sixteen idle connections of four addresses fill the listener. The next one's handshake waits for a place."""
    context = ssl.create_default_context(cafile=facts.root)

    def open_connection():
        plain = socket.create_connection(("127.0.0.1", PORT), source_address=(f"127.0.0.{len(held) // 4 + 2}", 0))
        return context.wrap_socket(plain, server_hostname=HOST, do_handshake_on_connect=False)

    held = []
    while len(held) < 64:
        wire = open_connection()
        wire.settimeout(50 if len(held) < 16 else 2)
        try:
            wire.do_handshake()
        except TimeoutError:
            break
        held.append(wire)
    assert len(held) < 64, "there is no limit"
    held[0].close()
    wire.settimeout(50)
    wire.do_handshake()
    wire.sendall(request("GET", PAGE, ["Connection: close"], "").encode())
    assert wire.recv(12) == b"HTTP/1.1 200"


run(globals())
