# SPDX-License-Identifier: Apache-2.0
"""Requests that no well-behaved client sends, byte by byte to the HTTPS interface of administration."""
import json
import re
import socket
import ssl
import time
import urllib.parse

from ambiguous import ambiguous_requests
from baton_tests import facts, run

ADMINISTRATION = urllib.parse.urlsplit(facts.administration)
DEADLINE = 2  # seconds for a request, if the case's server has a short deadline (`requestDeadline`)
GROUP = '{"displayName":"Ward"}'
SMUGGLED = f"GET /openapi.json HTTP/1.1\r\nHost: {ADMINISTRATION.hostname}\r\n\r\n"


def connect(port=None):
    """Makes a TLS connection to the interface, or to another port that leads to it."""
    context = ssl.create_default_context(cafile=facts.root)
    plain = socket.create_connection(("127.0.0.1", port or ADMINISTRATION.port), 50)
    return context.wrap_socket(plain, server_hostname=ADMINISTRATION.hostname)


def talk(text, port=None):
    """Sends bytes on one connection, and reads until the server closes it. Returns the statuses and all bytes."""
    answer = b""
    with connect(port) as wire:
        try:
            wire.sendall(text.encode("latin-1"))
            while data := wire.recv(65536):
                answer += data
        except (ssl.SSLError, ConnectionError):
            pass  # the server closed the connection while we sent
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)], answer


def request(method="POST", path="/identity/tenants/-/groups", headers=(), body=GROUP, host=ADMINISTRATION.hostname):
    lines = "".join(f"{header}\r\n" for header in (f"Host: {host}", *headers))
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n{body}"


def smuggled_through(port):
    """Checks that correct requests are answered, and that no hidden request ever is."""
    length = f"Content-Length: {len(GROUP)}"
    statuses, answer = talk(request(headers=[length]) + request("GET", "/openapi.json", ["Connection: close"], ""), port)
    assert statuses == [401, 200] and b'"openapi"' in answer, (statuses, answer[:200])
    for name, headers, body in ambiguous_requests(GROUP, SMUGGLED):
        statuses, answer = talk(request(headers=headers, body=body), port)
        assert b'"openapi"' not in answer, (name, answer[:400])
        # The request may be refused before its body is read; what is left of the body gets no answer.
        assert all(400 <= status < 500 for status in statuses) and not statuses[1:], (name, statuses)
        # Another transfer coding is refused by the head alone, before anybody is asked for a token.
        assert name not in ("an unknown coding", "chunked not last") or statuses == [400], (name, statuses)


def case_smuggling():
    """If two readers could disagree about the end of a request's body, the request gets at most one refusal, and the
    connection is closed."""
    smuggled_through(None)


def case_haproxy_smuggling():
    """The same through HAProxy, which passes the bytes on as they are."""
    smuggled_through(int(facts.administration_balancer))


def case_host():
    """A request needs exactly one Host field with the interface's name and no other port. The authority of a target
    replaces it, but no other field does."""
    for host, expected in (
        (ADMINISTRATION.hostname, 200), (f"{ADMINISTRATION.hostname.upper()}:{ADMINISTRATION.port}", 200),
        ("evil.test", 421), ("127.0.0.1", 421), (f"{ADMINISTRATION.hostname}:1", 421), ("login.test", 421),
        (f"{ADMINISTRATION.hostname}.evil.test", 421), (f"{ADMINISTRATION.hostname}@evil.test", 421),
        (f"{ADMINISTRATION.hostname}\r\nHost: evil.test", 400), ("", 421),
    ):
        statuses, answer = talk(request("GET", "/openapi.json", ["Connection: close"], "", host))
        assert statuses in ([expected], [400]) and (expected != 200 or statuses == [200]), (host, statuses)
        assert b"evil.test" not in answer, (host, answer[:200])
    for target, expected in (
        ("https://evil.test/openapi.json", 421), (f"https://{ADMINISTRATION.hostname}:1/openapi.json", 421),
        (f"https://{ADMINISTRATION.hostname}@evil.test/openapi.json", 421), ("https://evil.test?/openapi.json", 421),
        (f"{facts.administration}/openapi.json", 200), (f"https://{ADMINISTRATION.hostname}/openapi.json", 200),
    ):
        statuses, _ = talk(request("GET", target, ["Connection: close"], ""))
        assert statuses == [expected], (target, statuses)
    for forwarded in ("X-Forwarded-Host: evil.test", "Forwarded: host=evil.test", "X-Original-URL: /x"):
        statuses, answer = talk(request("GET", "/openapi.json", [forwarded, "Connection: close"], ""))
        assert statuses == [200] and b"evil.test" not in answer, (forwarded, statuses)


def case_malformed():
    """A request that is not HTTP gets a refusal in the form of the interface, and the connection is closed."""
    for name, text in (
        ("a folded field", request("GET", "/openapi.json", ["X-A: a\r\n b"], "")),
        ("a large field", request("GET", "/openapi.json", ["X-A: " + "a" * 40_000], "")),
        ("a large head", request("GET", "/openapi.json", [f"X-{number}: {'a' * 4000}" for number in range(12)], "")),
        ("many fields", request("GET", "/openapi.json", [f"X-{number}: a" for number in range(120)], "")),
        ("two hosts", request("GET", "/openapi.json", ["Host: evil.test"], "")),
        ("another coding", request(headers=["Transfer-Encoding: gzip"], body="")),
        ("no request", "nonsense\r\n\r\n"), ("a HEAD", request("HEAD", "/openapi.json", ["X-A: a\r\n b"], "")),
    ):
        statuses, answer = talk(text)
        head, _, body = answer.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().lower().split("\r\n")[1:])
        assert statuses == [400] and fields["connection"] == "close", (name, answer[:400])
        assert fields["content-type"] == "application/json" and fields["cache-control"] == "no-store", (name, fields)
        assert int(fields["content-length"]) == len(body), (name, answer[:400])
        error = json.loads(body)["error"]
        assert error["code"] == "admin.request" and error["message"] and "Host" in error["remedy"], (name, error)
    # A refusal does not get into the answer to the request before it.
    statuses, answer = talk(request("GET", "/openapi.json", [], "") + request("GET", "/", ["X-A: a\r\n b"], ""))
    assert statuses in ([200], [200, 400]) and b'"openapi"' in answer, (statuses, answer[-400:])


def case_slow():
    """A request that never ends is cut off, even if bytes keep coming. Another request is served meanwhile."""
    for start in (request(headers=["Content-Length: 60000"], body="{"), "POST / HTTP/1.1\r\nX-Slow: "):
        begun = time.monotonic()
        with connect() as wire:
            wire.sendall(start.encode())
            statuses, _ = talk(request("GET", "/openapi.json", ["Connection: close"], ""))
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


def case_endless():
    """A body that goes on after the refusal of its request is soon no longer received. A body that ends is."""
    chunk = b"x" * 65536
    for headers in (["Transfer-Encoding: chunked"], [f"Content-Length: {1 << 40}"]):
        begun, sent, answer = time.monotonic(), 0, b""
        with connect() as wire:
            wire.sendall(request(headers=headers, body="").encode())
            wire.settimeout(0.2)
            answer += wire.recv(65536)
            try:
                while time.monotonic() - begun < 20:
                    wire.settimeout(5)
                    wire.sendall(b"10000\r\n" + chunk + b"\r\n" if "chunked" in headers[0] else chunk)
                    sent += len(chunk)
                raise AssertionError(f"{sent >> 20} MB were received after a refusal")
            except (ssl.SSLError, ConnectionError):
                pass
        assert answer.startswith(b"HTTP/1.1 401 ") and b"connection: close" in answer.lower(), answer[:400]
        assert time.monotonic() - begun < 10 and sent < 64 << 20, (time.monotonic() - begun, sent)
    # A silent client is cut off as well, and a client that sends all of its body first reads the answer.
    begun = time.monotonic()
    statuses, _ = talk(request(headers=["Content-Length: 100"], body="x"))
    assert statuses == [401] and time.monotonic() - begun < 10, (statuses, time.monotonic() - begun)
    statuses, _ = talk(request(headers=[f"Content-Length: {3 << 20}"], body="x" * (3 << 20)))
    assert statuses == [401], statuses


run(globals())
