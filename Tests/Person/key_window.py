#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A window in place of a browser. It asks the compositor for every shortcut, and for full screen when the key 1 is pressed.
Prints each key that reaches it, with its modifiers, by the names of keyboard.py. Also prints when it gets the keys of a
keyboard, and when full screen is granted or taken away.

    key_window.py FILE WITH THE TITLE
"""
import sys

import gi
from keyboard import KEYS

gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

NAMES = {number: name for name, number in KEYS.items()}
MASKS = {"ctrl": Gdk.ModifierType.CONTROL_MASK, "alt": Gdk.ModifierType.ALT_MASK, "shift": Gdk.ModifierType.SHIFT_MASK}


def press(_, __, code, state):
    # X11 and Wayland count the kernel's numbers from 8.
    words = [name for name, mask in MASKS.items() if state & mask] + [NAMES[code - 8]]
    print("+".join(words), flush=True)
    if words == ["1"]:
        window.fullscreen()
    return True


def resize(*_):
    print("full screen" if window.is_fullscreen() else "no full screen", flush=True)


def focus(*_):
    if window.is_active():
        window.get_surface().inhibit_system_shortcuts(None)
        print("keyboard", flush=True)


Gtk.init()
with open(sys.argv[1]) as file:
    window = Gtk.Window(title=file.read())
keys = Gtk.EventControllerKey(propagation_phase=Gtk.PropagationPhase.CAPTURE)
keys.connect("key-pressed", press)
window.add_controller(keys)
window.connect("notify::fullscreened", resize)
window.connect("notify::is-active", focus)
window.connect("map", lambda _: print("ready", flush=True))
window.present()
GLib.MainLoop().run()
