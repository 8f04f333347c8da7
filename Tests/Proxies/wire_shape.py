#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shape of a device's requests to the identity platform: their paths, and the names of everything in them.

    wire_shape.py FIXTURE LOG NAME…

Compares the requests that lying_proxy.py recorded in LOG with the exchanges of a file in Tests/Fixtures/devices. Every
recorded request must have the shape of an exchange, and the exchanges with these names must occur. Prints what differs,
and exits with 1 if anything does.
"""
import base64
import json
import re
import sys
import urllib.parse


# Members that a device sends only if it has them: the countersignature of an earlier head of its receipts.
OPTIONAL = {"receipt_anchor"}


def decoded(text):
    """Returns the object of a part of a signed value; None if the text is something else, such as a host name."""
    try:
        value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def of(value):
    """The shape of a value: names of members, and what is in signed values, but no values themselves."""
    if isinstance(value, str) and re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", value):
        header, claims = (decoded(part) for part in value.split(".")[:2])
        return "" if header is None or claims is None else f"signed({of(header)}, {of(claims)})"
    if isinstance(value, str) and value.startswith("{") and value.endswith("}") and '"signature"' in value:
        members = json.loads(value)
        del members["signature"]
        return f"line({of(members)})"
    if isinstance(value, dict) and "line" in value:
        return f"line({of(value['line'])})"
    if isinstance(value, dict) and "signedBy" in value:
        return f"signed({of(value['header'])}, {of(value['claims'])})"
    if isinstance(value, dict):
        members = sorted((name, item) for name, item in value.items() if name not in OPTIONAL)
        return "{" + ", ".join(f"{name}{inner(name, item)}" for name, item in members) + "}"
    return ""


def inner(name, value):
    # These values belong to the shape, because they distinguish requests that have the same names.
    if name in ("grant_type", "prt_protocol_version", "scope", "JoinType"):
        return f"={value}"
    return "" if name in ("key", "refresh_token", "access_token", "code") else of(value)


def request(method, path, body, kind):
    """The shape of a request. Every scope that names permissions is written as `app's`."""
    path = re.sub(r"^/(?!EnrollmentServer)[^/]+/", "/{tenant}/", path)
    shape = of(body) if kind == "json" else of(dict(body))
    return re.sub(r"scope=[^,}]*User\.Read[^,}]*", "scope=app's", f"{method} {path} {shape}")


def of_wire(head, body):
    """The shape of a request's bytes."""
    method, path = head.split(b" ")[:2]
    if b"application/json" in head.lower():
        return request(method.decode(), path.decode(), json.loads(body), "json")
    return request(method.decode(), path.decode(), urllib.parse.parse_qsl(body.decode()), "form")


def of_exchange(exchange):
    kind = "json" if "json" in exchange else "form"
    return request(exchange["method"], exchange["path"], exchange.get(kind, {}), kind)


def main(fixture, log, *names):
    with open(fixture, encoding="utf-8") as file:
        exchanges = [item for item in json.load(file)["exchanges"] if item.get("to") in ("login", "registration")]
    known = {}
    for item in exchanges:
        if "query" not in item:
            known.setdefault(of_exchange(item), item["name"])
    with open(log, encoding="utf-8") as file:
        sent = {line.removeprefix("sent ").rstrip("\n") for line in file if line.startswith("sent ")}
    for shape in sorted(sent - known.keys()):
        print("no exchange has this shape:", shape)
    missing = set(names) - {known[shape] for shape in sent & known.keys()}
    for name in sorted(missing):
        print("not sent:", name, *(shape for shape, other in known.items() if other == name))
    return bool(sent - known.keys() or missing)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
