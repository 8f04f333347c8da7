# SPDX-License-Identifier: Apache-2.0
"""Connections through a load balancer: its header before the TLS handshake, and a real HAProxy.

The server trusts 127.0.0.1 as a load balancer. Other addresses are 127.0.0.2 and so on.
"""
import http.client
import ipaddress
import json
import os
import plistlib
import signal
import socket
import ssl
import time
import urllib.parse

from baton_tests import device_context, device_profile, facts, run

HOST = urllib.parse.urlsplit(facts.login).hostname
PORT = urllib.parse.urlsplit(facts.login).port
DEVICES = urllib.parse.urlsplit(facts.mdm)
PAGE = f"/{facts.tenant}/v2.0/.well-known/openid-configuration"
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
CLOSED = "closed"


def header(client, command=0x21, extra=b""):
    """The header for a client, with additional fields."""
    address = ipaddress.ip_address(client)
    family = 0x11 if address.version == 4 else 0x21
    ports = (4711).to_bytes(2, "big") + PORT.to_bytes(2, "big")
    rest = address.packed + ipaddress.ip_address(client).packed + ports + extra
    return SIGNATURE + bytes([command, family]) + len(rest).to_bytes(2, "big") + rest


LOCAL = SIGNATURE + b"\x20\0\0\0"


def connect(parts=(), source="127.0.0.1", port=None, host=HOST, context=None):
    """Sends the parts of a header and makes the TLS handshake. Returns the connection, or CLOSED."""
    plain = socket.create_connection(("127.0.0.1", port or PORT), 50, source_address=(source, 0))
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        for part in parts:
            plain.sendall(part)
        return (context or ssl.create_default_context(cafile=facts.root)).wrap_socket(plain, server_hostname=host)
    except (ssl.SSLError, ConnectionError):
        plain.close()
        return CLOSED


def status(wire, path=PAGE, host=HOST, form=None):
    """Sends a request and returns the status and the body, or CLOSED."""
    if wire == CLOSED:
        return CLOSED, b""
    method = "GET" if form is None else "POST"
    body = urllib.parse.urlencode(form or {})
    kind = "" if form is None else "Content-Type: application/x-www-form-urlencoded\r\n"
    text = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{kind}Content-Length: {len(body)}\r\n"
    answer = b""
    try:
        with wire:
            wire.sendall(f"{text}Connection: close\r\n\r\n{body}".encode())
            while data := wire.recv(65536):
                answer += data
    except (ssl.SSLError, ConnectionError):
        return CLOSED, answer
    return int(answer[9:12]), answer.partition(b"\r\n\r\n")[2]


def outcome(*parts, source="127.0.0.1"):
    return status(connect(parts, source))[0]


def case_header():
    """A load balancer must send a header, and nobody else may. The first refusal is logged at once."""
    for header_of_stranger in (header("192.0.2.7"), LOCAL, b"PROXY TCP4 192.0.2.7 192.0.2.1 1 2\r\n"):
        assert outcome(header_of_stranger, source="127.0.0.2") == CLOSED, header_of_stranger
    for good in (header("192.0.2.7"), header("2001:db8::7"), header("192.0.2.7", extra=b"\xea\0\2ab"), LOCAL):
        assert outcome(good) == 200, good
        assert outcome(*(good[n:n + 1] for n in range(len(good)))) == 200, good
    assert outcome(source="127.0.0.2") == 200
    assert outcome() == CLOSED
    for bad in (b"PROXY TCP4 192.0.2.7 192.0.2.1 1 2\r\n", header("192.0.2.7", command=0x22), SIGNATURE + b"\x21\0\0\0",
                SIGNATURE + b"\x21\x11\xff\xff", SIGNATURE + b"\x21\x11\0\x0b" + bytes(11)):
        assert outcome(bad) == CLOSED, bad


def case_late():
    """A load balancer that does not complete its header is disconnected after five seconds."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", PORT), 50) as plain:
        plain.sendall(header("192.0.2.7")[:-1])
        assert plain.recv(1) == b""
    assert 4 < time.monotonic() - begun < 9, time.monotonic() - begun


def case_share():
    """Each client has its own share of the connections, although all come from the load balancer."""
    held = [connect([header("192.0.2.7")]) for _ in range(4)]
    assert CLOSED not in held
    assert outcome(header("192.0.2.7")) == CLOSED
    assert outcome(header("192.0.2.8")) == 200
    held.pop().close()
    deadline = time.monotonic() + 50
    while outcome(header("192.0.2.7")) != 200:
        assert time.monotonic() < deadline, "the place of a closed connection is not free"
    for wire in held:
        wire.close()


def device_code(wire):
    path = f"/{facts.tenant}/oauth2/v2.0/devicecode"
    answer = status(wire, path, form={"client_id": facts.client, "scope": "openid"})
    return answer[0], json.loads(answer[1]).get("error_codes", [])


def throttled(connection):
    """Uses up what one client may request. `connection(n)` connects as the client number n."""
    for _ in range(60):
        assert device_code(connection(7)) == (200, [])
    code, numbers = device_code(connection(7))
    assert numbers == [5000627], (code, numbers)
    assert device_code(connection(8)) == (200, [])


def case_throttle():
    """Requests are counted by the address in the header."""
    throttled(lambda number: connect([header(f"192.0.2.{number}")]))


def case_haproxy_throttle():
    """Requests through HAProxy are counted by the client's address."""
    throttled(lambda number: connect(source=f"127.0.0.{number}", port=int(facts.balancer)))


def audit():
    """The entries of the directory's audit log for sign-ins."""
    with socket.socket(socket.AF_UNIX) as plain:
        plain.connect(facts.admin)
        admin = http.client.HTTPConnection("server")
        admin.sock = plain
        admin.request("GET", f"/identity/tenants/{facts.tenant}/audit?count=1000")
        return [entry for entry in json.load(admin.getresponse()) if entry["action"] == "sign-in"]


def audited(connection, address):
    """Signs in with a wrong and with the right password. Both entries in the log must have the client's address."""
    path = f"/{facts.tenant}/oauth2/v2.0/token"
    form = {"grant_type": "password", "client_id": facts.client, "username": facts.person("amara"), "scope": "openid"}
    for word, code in (("wrong", 400), (facts.password, 200)):
        answer = status(connection(), path, form=form | {"password": word})
        assert answer[0] == code, answer
    found = [entry["outcome"] for entry in audit() if entry.get("clientAddress") == address]
    assert sorted(found) == ["done", "refused"], audit()
    assert not [entry for entry in audit() if entry.get("clientAddress") == "127.0.0.1"], audit()


def case_audit():
    """The audit log contains the header's address or, without a load balancer, the connection's address."""
    audited(lambda: connect([header("192.0.2.77")]), "192.0.2.77")
    audited(lambda: connect([header("2001:db8::77")]), "2001:db8::77")
    audited(lambda: connect(source="127.0.0.77"), "127.0.0.77")


def case_haproxy_audit():
    """The audit log has the client's address, not HAProxy's."""
    audited(lambda: connect(source="127.0.0.78", port=int(facts.balancer)), "127.0.0.78")


def case_haproxy_certificate():
    """The device's certificate and the server's pass through HAProxy."""
    for context, is_missing in ((device_context(), False), (None, True)):
        wire = connect(port=int(facts.device_balancer), host=DEVICES.hostname, context=context)
        code, body = status(wire, f"/mdm/{facts.tenant}/push", DEVICES.hostname, form={})
        assert code != CLOSED and (b"none was sent" in body) == is_missing, (code, body)


def enrolled(port):
    """Enrolls a device through HAProxy, and returns its TLS context."""
    context, topic = device_profile()
    common = {"UDID": "balancer-1", "Topic": topic}
    for message in ({"MessageType": "Authenticate"}, {"MessageType": "TokenUpdate", "Token": b"1", "PushMagic": "m"}):
        body = plistlib.dumps({**common, **message})
        head = f"PUT /mdm/{facts.tenant} HTTP/1.1\r\nHost: {DEVICES.hostname}\r\nContent-Length: {len(body)}\r\n"
        head += "Content-Type: application/x-apple-aspen-mdm-checkin\r\nConnection: close\r\n\r\n"
        with connect(port=port, host=DEVICES.hostname, context=context) as wire:
            wire.sendall(head.encode() + body)
            answer = wire.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200 "), answer
    return context


def case_haproxy_push():
    """A push channel ends in the second half of the drain time (6 s), and its connection is closed."""
    port = int(facts.device_balancer)
    context = enrolled(port)
    hello = f"POST /mdm/{facts.tenant}/push HTTP/1.1\r\nHost: {DEVICES.hostname}\r\nContent-Length: 2\r\n\r\n{{}}"
    with connect(port=port, host=DEVICES.hostname, context=context) as wire:
        wire.settimeout(50)
        wire.sendall(hello.encode())
        answer = b""
        while b"present" not in answer:
            data = wire.recv(65536)
            assert data, answer
            answer += data
        assert answer.startswith(b"HTTP/1.1 200 "), answer
        os.kill(int(facts.server), signal.SIGTERM)
        begun = time.monotonic()
        while data := wire.recv(65536):
            answer += data
        taken = time.monotonic() - begun
    assert answer.endswith(b"\r\n0\r\n\r\n"), "the channel is cut, not ended"
    assert 2.5 < taken < 5.5, taken
    # HAProxy passes nothing to this node any more. Without HAProxy, the node answers, and opens no channel.
    with connect([header("192.0.2.7")], port=DEVICES.port, host=DEVICES.hostname, context=context) as wire:
        wire.sendall(hello.encode())
        answer = b""
        while data := wire.recv(65536):
            answer += data
    assert answer.startswith(b"HTTP/1.1 503 ") and b"onnection: close" in answer, answer
    assert connect(port=port, host=DEVICES.hostname, context=context) == CLOSED


run(globals())
