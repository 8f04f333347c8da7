#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small window in the upper left corner of the screen DISPLAY. From it, a person can drag a file into other windows.

    drag.py FILE    prints a line once the window is there, and runs until it is ended
"""
import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, Gtk  # noqa: E402

TITLE = "A file to drag"


def main():
    address = GLib.Bytes.new(Gio.File.new_for_path(sys.argv[1]).get_uri().encode() + b"\r\n")
    Gtk.init()
    source = Gtk.DragSource(actions=Gdk.DragAction.COPY)
    source.connect("prepare", lambda *_: Gdk.ContentProvider.new_for_bytes("text/uri-list", address))
    window = Gtk.Window(title=TITLE, default_width=100, default_height=100, decorated=False)
    label = Gtk.Label(label=TITLE)
    label.add_controller(source)
    window.set_child(label)
    window.present()
    print("ready", flush=True)
    GLib.MainLoop().run()


main()
