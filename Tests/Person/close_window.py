#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Closes a window as a window manager does when its button is touched (ICCCM, section 4.2.8.1).

    close_window.py TITLE [KEYS]

Waits until a visible window has a title that the regular expression TITLE matches, and asks it to close. With KEYS,
presses a shortcut in the window first, waits for the window that this opens, and in the end for a screen without windows.
"""
import ctypes
import sys
import time

from windows import PATIENCE, act, await_closed, find, search, tool

AGAIN = 2.0  # seconds after which a shortcut without an effect is pressed again


class ClientMessage(ctypes.Structure):
    """`XClientMessageEvent` of Xlib, and the space that every event of Xlib takes."""

    _fields_ = [
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong), ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5), ("room", ctypes.c_long * 12)]


def press(title, keys):
    """Presses a shortcut until it has opened a second window. A window that has just opened may miss it."""
    deadline = time.monotonic() + PATIENCE
    while len(search(".")) < 2:
        if time.monotonic() > deadline:
            sys.exit(f"{keys} opens no window")
        act(title, lambda window: tool("windowfocus", "--sync", window, "key", keys))
        again = time.monotonic() + AGAIN
        while len(search(".")) < 2 and time.monotonic() < again:
            time.sleep(0.02)


def ask_to_close(window):
    """Asks a window to close, by its number."""
    xlib = ctypes.CDLL("libX11.so.6")
    xlib.XOpenDisplay.restype = ctypes.c_void_p
    xlib.XInternAtom.restype = ctypes.c_ulong
    xlib.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    xlib.XSendEvent.argtypes = [
        ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.POINTER(ClientMessage)]
    xlib.XCloseDisplay.argtypes = [ctypes.c_void_p]
    display = xlib.XOpenDisplay(None)
    if not display:
        sys.exit("there is no screen")
    event = ClientMessage(type=33, window=int(window), format=32)
    event.message_type = xlib.XInternAtom(display, b"WM_PROTOCOLS", 0)
    event.data[0] = xlib.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    if not xlib.XSendEvent(display, int(window), 0, 0, ctypes.byref(event)):
        sys.exit("the window cannot be asked")
    xlib.XCloseDisplay(display)


def main():
    if len(sys.argv) > 2:
        press(*sys.argv[1:])
    ask_to_close(find(sys.argv[1]) or sys.exit("there is no such window"))
    if len(sys.argv) > 2:
        await_closed(".")


if __name__ == "__main__":
    main()
