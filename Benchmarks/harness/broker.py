# SPDX-License-Identifier: Apache-2.0
"""A client of the broker's socket in Python, and a watch on a device's journal, from which other programs can see that
a session has ended. docs/reference/broker-protocol.md describes the protocol."""
import ctypes
import json
import os
import select
import socket
import struct
import time

PATIENCE = 60.0  # seconds for any single wait


def frame(message):
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body


def hello(**more):
    return frame({"hello": {
        "transport_min": 1, "transport_max": 1, "client_name": "benchmark", "client_version": "1", **more}})


def request(operation, app, number="1", **parameters):
    return frame({
        "sso_request_id": number, "sso_request_operation": operation, "is_silent": True,
        "sso_request_param": {
            "msg_protocol_ver": "4", "client_id": app["clientId"], "redirect_uri": app["redirectUri"],
            "authority": app["authority"], "provider_type": "provider_aad_v2", **parameters}})


class Ended(Exception):
    """The broker has closed the connection."""


class Connection:
    """One connection to the broker."""

    def __init__(self, path, **said):
        self.socket = socket.socket(socket.AF_UNIX)
        # A blocking connect waits for a free place in the kernel's queue; a non-blocking connect would be refused.
        self.socket.connect(str(path))
        self.socket.settimeout(PATIENCE)
        self.send(hello(**said))
        self.epoch = self.receive()["hello"]["epoch"]

    def send(self, message):
        try:
            self.socket.sendall(message)
        except (BrokenPipeError, ConnectionResetError):
            raise Ended from None

    def receive(self):
        return json.loads(self._bytes(struct.unpack(">I", self._bytes(4))[0]))

    def _bytes(self, count):
        read = b""
        while len(read) < count:
            try:
                part = self.socket.recv(count - len(read))
            except ConnectionResetError:
                part = b""
            if not part:
                raise Ended
            read += part
        return read

    def ask(self, operation, app, **parameters):
        """Sends a request. Returns its reply; ignores events that arrive before it."""
        self.send(request(operation, app, **parameters))
        while "event" in (answer := self.receive()):
            pass
        if "error" in answer:
            raise SystemExit(f"{operation}: {answer['error']}")
        return answer["response"]

    def close(self):
        self.socket.close()


class Journal:
    """The times of changes of a device's journal, from the kernel (inotify)."""
    MOVED_TO = 0x80

    def __init__(self, folder):
        self.file = folder / "journal"
        library = ctypes.CDLL(None, use_errno=True)
        self.events = library.inotify_init1(os.O_NONBLOCK)
        if self.events < 0 or library.inotify_add_watch(self.events, os.fsencode(folder), self.MOVED_TO) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    @property
    def state(self):
        return json.loads(self.file.read_text())["state"]

    def moved(self):
        """Reads the waiting events. Returns whether one of them is about the journal itself."""
        try:
            data = os.read(self.events, 65536)
        except BlockingIOError:
            return False
        found = False
        while data:
            _, _, _, length = struct.unpack_from("iIII", data)
            found |= data[16:16 + length].rstrip(b"\0") == b"journal"
            data = data[16 + length:]
        return found

    def forget(self):
        """Drops the events that have already arrived."""
        while self.moved():
            pass

    def close(self):
        os.close(self.events)


def wait(descriptors, what):
    """Waits until one of the descriptors can be read. Returns those that can, and the time in nanoseconds."""
    ready, _, _ = select.select(descriptors, [], [], PATIENCE)
    if not ready:
        raise SystemExit(f"{what}: nothing happened for {PATIENCE:.0f} seconds")
    return ready, time.monotonic_ns()
