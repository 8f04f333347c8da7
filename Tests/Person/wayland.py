# SPDX-License-Identifier: Apache-2.0
"""A client of a Wayland compositor that has no window: what touch.py and keyboard.py have in common."""
import os
import socket
import struct

DISPLAY, REGISTRY = 1, 2


class Client:
    """Ends with the `with` statement in which it is used."""

    def __init__(self):
        self.last, self.clock, self.buffer = REGISTRY, 0, b""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(os.path.join(os.environ["XDG_RUNTIME_DIR"], os.environ["WAYLAND_DISPLAY"]))
        self.send(DISPLAY, 1, struct.pack("=I", REGISTRY))  # wl_display.get_registry
        self.names = {}
        for target, opcode, body in self.settle():
            if target == REGISTRY and opcode == 0:
                name, length = struct.unpack("=II", body[:8])
                self.names[body[8:7 + length].decode()] = name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def object(self):
        """A new id."""
        self.last += 1
        return self.last

    def bind(self, interface):
        """The object of a global, version 1."""
        target, text = self.object(), interface.encode() + b"\0"
        self.send(REGISTRY, 0, struct.pack("=II", self.names[interface], len(text)) + text + bytes(-len(text) % 4)
                  + struct.pack("=II", 1, target))  # wl_registry.bind
        return target

    def send(self, target, opcode, body=b"", files=()):
        socket.send_fds(self.socket, [struct.pack("=II", target, (8 + len(body)) << 16 | opcode) + body], files)

    def event(self):
        """The next event: its object, its number, its arguments."""
        while len(self.buffer) < 8 or len(self.buffer) < struct.unpack("=I", self.buffer[4:8])[0] >> 16:
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError("the compositor has ended")
            self.buffer += more
        target, word = struct.unpack("=II", self.buffer[:8])
        body, self.buffer = self.buffer[8:word >> 16], self.buffer[word >> 16:]
        if target == DISPLAY and word & 0xffff == 0:
            raise ConnectionError(f"the compositor refuses: {body!r}")
        return target, word & 0xffff, body

    def settle(self):
        """Returns when the compositor has handled everything that was sent, with the events until then."""
        callback, events = self.object(), []
        self.send(DISPLAY, 0, struct.pack("=I", callback))  # wl_display.sync
        while (event := self.event())[0] != callback:
            events.append(event)
        return events

    def time(self):
        self.clock += 10
        return struct.pack("=I", self.clock)
