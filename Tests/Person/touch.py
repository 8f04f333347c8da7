#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A finger on the screen of a Wayland compositor: moves a virtual pointer (wlr-virtual-pointer-unstable-v1) and presses its
left button, in coordinates of the screen. The compositor sees a mouse that is plugged in for as long as the connection lasts.

Usage:
    with Finger(width, height) as finger: finger.touch(x, y)
"""
import struct

from wayland import Client

LEFT = 0x110  # BTN_LEFT, linux/input-event-codes.h


class Finger(Client):
    def __init__(self, width, height):
        super().__init__()
        self.size = (width, height)
        manager, self.pointer = self.bind("zwlr_virtual_pointer_manager_v1"), self.object()
        self.send(manager, 0, struct.pack("=II", 0, self.pointer))  # create_virtual_pointer, for no particular seat
        self.settle()

    def act(self, opcode, body):
        self.send(self.pointer, opcode, self.time() + body)
        self.send(self.pointer, 4)  # frame

    def touch(self, x, y):
        self.act(1, struct.pack("=IIII", round(x), round(y), *self.size))  # motion_absolute
        for pressed in [1, 0]:
            self.act(2, struct.pack("=II", LEFT, pressed))  # button
            self.settle()
