#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person at a screen (DISPLAY) with the site of traces.py in the worker's browser.

    screen.py TEXT

Clicks, types TEXT into the form, saves the page, and prints it into a file, with mouse and keyboard.
"""
import sys

from windows import act, await_closed, click, click_middle, find, size, tool

PRESSES = 60  # of Return, a second apart, until the browser asks where to print


def confirm(dialog):
    """Clicks the button in the lower right corner."""
    width, height = size(dialog)
    click(dialog, width - 50, height - 28)


def save():
    """Confirms the next dialog that saves a file."""
    act("^Save", confirm)
    await_closed("^Save")


def print_page():
    """Prints a page until a window asks for the file. A browser ignores Return while it prepares the page."""
    act("^Sent ", click_middle)
    tool("key", "ctrl+p")
    for _ in range(PRESSES):
        tool("key", "Return")
        if find("^Save", 1):
            return
    sys.exit("screen.py: the page was not printed")


def fill():
    """Types into the form and sends it."""
    act("^Copied ", click_middle)
    tool("key", "ctrl+a")
    tool("type", sys.argv[1])
    tool("key", "Return")
    act("^Sent ", lambda page: page)


act("^Notes ", lambda page: tool("windowfocus", page))
act("^Notes ", click_middle)
fill()
tool("key", "ctrl+s")
save()
print_page()
save()
