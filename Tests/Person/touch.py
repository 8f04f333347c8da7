#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A finger on the screen of a Wayland compositor: moves a virtual pointer (wlr-virtual-pointer-unstable-v1) and presses its
left button, in coordinates of the screen. The compositor sees a mouse that is plugged in and stays until close().

Usage:
    with Finger(width, height) as finger: finger.touch(x, y)
"""
import os
import socket
import struct

DISPLAY, REGISTRY, CALLBACK, MANAGER, POINTER = 1, 2, 3, 4, 5
LEFT = 0x110  # BTN_LEFT, linux/input-event-codes.h


class Finger:
    def __init__(self, width, height):
        self.size, self.clock, self.next_callback = (width, height), 0, POINTER + 1
        self.buffer = b""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(os.path.join(os.environ["XDG_RUNTIME_DIR"], os.environ["WAYLAND_DISPLAY"]))
        self.send(DISPLAY, 1, struct.pack("=I", REGISTRY))  # wl_display.get_registry
        names = self.globals()
        interface = b"zwlr_virtual_pointer_manager_v1\0"
        self.send(REGISTRY, 0, struct.pack("=II", names[interface[:-1].decode()], len(interface)) + interface
                  + struct.pack("=II", 1, MANAGER))  # wl_registry.bind; the text's length is a multiple of four
        self.send(MANAGER, 0, struct.pack("=II", 0, POINTER))  # create_virtual_pointer, for no particular seat
        self.settle()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, target, opcode, body=b""):
        self.socket.sendall(struct.pack("=II", target, (8 + len(body)) << 16 | opcode) + body)

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

    def globals(self):
        names = {}
        for target, opcode, body in self.until_done(CALLBACK):
            if target == REGISTRY and opcode == 0:
                name, length = struct.unpack("=II", body[:8])
                names[body[8:7 + length].decode()] = name
        return names

    def until_done(self, callback):
        self.send(DISPLAY, 0, struct.pack("=I", callback))  # wl_display.sync
        events = []
        while True:
            event = self.event()
            if event[0] == callback:
                return events
            events.append(event)

    def settle(self):
        """Returns when the compositor has handled everything that was sent."""
        self.until_done(self.next_callback)
        self.next_callback += 1

    def act(self, opcode, body):
        self.clock += 10
        self.send(POINTER, opcode, struct.pack("=I", self.clock) + body)
        self.send(POINTER, 4)  # frame

    def touch(self, x, y):
        self.act(1, struct.pack("=IIII", round(x), round(y), *self.size))  # motion_absolute
        for pressed in [1, 0]:
            self.act(2, struct.pack("=II", LEFT, pressed))  # button
            self.settle()
