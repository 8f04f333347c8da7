#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A keyboard of a Wayland compositor (virtual-keyboard-unstable-v1), with a layout of xkeyboard-config(7). It has the same
keys at the same places as a real one. A key is named after what it types in the layout of the United States.

    keyboard.py LAYOUT LOCK,... LOG SHORTCUT...

LOCK is `caps` or `num`, for each lock that is on, or `none`. A shortcut is a key, after the modifiers that are held
down: ctrl+shift+n. Before the first one, waits until a window of key_window.py has written to its log that it has
a keyboard.
"""
import os
import pathlib
import struct
import sys
import time

from wayland import Client

# The bits of the modifiers in a keymap of xkeyboard-config(7).
MODIFIERS = {"shift": 1, "ctrl": 4, "alt": 8, "super": 64}
LOCKS = {"none": 0, "caps": 2, "num": 16}
# The kernel's numbers (linux/input-event-codes.h).
KEYS = {name: first + place for first, row in [(2, "1234567890-="), (16, "qwertyuiop[]"), (30, "asdfghjkl;'`"),
                                               (44, "zxcvbnm,./")] for place, name in enumerate(row)}
KEYS |= {f"f{number}": 58 + number for number in range(1, 11)} | {"f11": 87, "f12": 88}
KEYS |= {"escape": 1, "backspace": 14, "tab": 15, "return": 28, "space": 57, "home": 102, "up": 103, "pageup": 104,
         "left": 105, "right": 106, "end": 107, "down": 108, "pagedown": 109, "delete": 111, "open": 134, "help": 138,
         "favorites": 156, "homepage": 172, "new": 181, "close": 206, "search": 217, "save": 234}
KEYMAP = """xkb_keymap { xkb_keycodes { include "evdev" }; xkb_types { include "complete" };
xkb_compatibility { include "complete" }; xkb_symbols { include "pc+LAYOUT+inet(evdev)" }; };"""


class Keyboard(Client):
    def __init__(self, layout):
        super().__init__()
        seat, manager = self.bind("wl_seat"), self.bind("zwp_virtual_keyboard_manager_v1")
        self.keyboard = self.object()
        self.send(manager, 0, struct.pack("=II", seat, self.keyboard))  # create_virtual_keyboard
        text = KEYMAP.replace("LAYOUT", layout).encode() + b"\0"
        file = os.memfd_create("keymap")
        os.write(file, text)
        self.send(self.keyboard, 0, struct.pack("=II", 1, len(text)), [file])  # keymap
        os.close(file)
        self.settle()

    def press(self, shortcut, locks=0):
        """Presses and releases a key, while modifiers are held down and locks are on."""
        *modifiers, key = shortcut.split("+")
        self.hold(sum(MODIFIERS[name] for name in modifiers), locks)
        for pressed in [1, 0]:
            self.send(self.keyboard, 1, self.time() + struct.pack("=II", KEYS[key], pressed))  # key
        self.hold(0, locks)
        self.settle()

    def hold(self, modifiers, locks):
        self.send(self.keyboard, 2, struct.pack("=IIII", modifiers, 0, locks, 0))  # modifiers


def main(layout, locks, log, shortcuts):
    ready = pathlib.Path(log).read_text().count("keyboard\n")
    with Keyboard(layout) as keyboard:
        while pathlib.Path(log).read_text().count("keyboard\n") == ready:
            time.sleep(0.01)
        for shortcut in shortcuts:
            keyboard.press(shortcut, sum(LOCKS[name] for name in locks.split(",")))


if __name__ == "__main__":
    main(*sys.argv[1:4], sys.argv[4:])
