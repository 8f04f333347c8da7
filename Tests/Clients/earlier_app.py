#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An app with an earlier version of the library. It sends what a file in Tests/Fixtures/apps contains, and reads only
what the file lists.

    earlier_app.py FIXTURE SOCKET CLIENT REDIRECT AUTHORITY WORKER

Signs the worker, who must be at the device, in and out again. Prints the name of each exchange, and exits with 1 if an
answer lacks something that the library reads.
"""
import json
import re
import socket
import sys
import uuid

KINDS = {"string": str, "integer": int, "object": dict}


class App:
    def __init__(self, path, client, redirect, authority, worker):
        self.path = path
        self.connect()
        self.values = {
            "client": client, "redirect": redirect, "authority": authority, "worker": worker,
            "correlation": str(uuid.uuid4())}
        self.events = []

    def connect(self):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(120)
        self.connection.connect(self.path)

    def filled(self, template):
        if isinstance(template, dict):
            return {name: self.filled(value) for name, value in template.items()}
        if isinstance(template, str):
            return re.sub(r"\{([a-z_]+)\}", lambda name: self.values[name[1]], template)
        return template

    def send(self, message):
        body = json.dumps(message).encode()
        self.connection.sendall(len(body).to_bytes(4, "big") + body)

    def receive(self):
        """The next message that is not an event."""
        while True:
            size = self.connection.recv(4, socket.MSG_WAITALL)
            assert len(size) == 4, "the broker has ended the connection"
            message = json.loads(self.connection.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
            if "event" not in message:
                return message
            self.events.append(message)
            if message["event"] == "will_end":
                self.send(self.request("baton.ready_to_end", {"client_id": "{client}", "msg_protocol_ver": "4"}))

    def request(self, operation, parameters):
        return {
            "is_silent": operation != "login", "sso_request_id": str(uuid.uuid4()), "sso_request_operation": operation,
            "sso_request_param": self.filled(parameters)}

    def read(self, answer, wanted):
        for path, kind in wanted.items():
            value = answer
            for step in path.split("."):
                if isinstance(value, str):
                    value = json.loads(value)
                value = value[int(step)] if isinstance(value, list) else value.get(step)
            assert value is not None, f"the answer lacks {path}: {answer}"
            if isinstance(kind, list):
                value = json.loads(value) if isinstance(value, str) else value
                assert set(kind) <= set(value) and (kind or not value), f"{path} is {value}"
            elif kind in KINDS:
                assert type(value) is KINDS[kind], f"{path} is {value!r}"
            else:
                assert value == self.filled(kind), f"{path} is {value!r}"
            yield path, value

    def act(self, exchange):
        if exchange.get("reconnects"):
            self.connect()
        if "send" in exchange:
            message = self.filled(exchange["send"])
        else:
            message = self.request(exchange["operation"], exchange["parameters"])
        self.send(message)
        reply = self.receive()
        while reply.get("sso_request_id") != message.get("sso_request_id"):
            reply = self.receive()
        if "fails" in exchange:
            return dict(self.read(reply["error"], exchange["fails"]))
        answer = reply if "send" in exchange else reply.get("response")
        assert answer is not None, reply
        found = dict(self.read(answer, exchange["reads"]))
        self.values |= {name: found[path] for name, path in exchange.get("keeps", {}).items()}
        if "event" in exchange:
            assert self.events, "no event"
            dict(self.read(self.events[-1], exchange["event"]))


def main(fixture, *facts):
    with open(fixture, encoding="utf-8") as file:
        exchanges = json.load(file)["exchanges"]
    app = App(*facts)
    for exchange in exchanges:
        print(exchange["name"], flush=True)
        app.act(exchange)


main(*sys.argv[1:])
