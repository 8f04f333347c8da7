#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person at a screen (DISPLAY) with the site of traces.py in the worker's browser.

    screen.py TEXT

Clicks, types TEXT into the form, saves the page, and prints it into a file, with mouse and keyboard.
"""
import sys

from windows import act, await_closed, click, click_middle, find, size, tool

PRESSES = 15  # of Return, a second apart, until the browser asks where to print
PRINTS = 4  # of the page
FILLS = 12  # of the form, five seconds apart


def confirm(dialog):
    """Clicks the button in the lower right corner."""
    width, height = size(dialog)
    click(dialog, width - 50, height - 28)


def save():
    """Confirms the next dialog that saves a file."""
    act("^Save", confirm)
    await_closed("^Save")


def print_page(title):
    """Prints a page until a window asks for the file. A browser ignores Return while it prepares the page, and Ctrl+P
    while a panel of Firefox has the keyboard."""
    for _ in range(PRINTS):
        tool("key", "Escape")
        act(title, click_middle)
        tool("key", "ctrl+p")
        for _ in range(PRESSES):
            tool("key", "Return")
            if find("^Save", 1):
                return
    sys.exit("screen.py: the page was not printed")


def fill(title):
    """Types into the form and sends it. Repeats this if the keys went elsewhere: at an unpredictable moment, Firefox
    shows a download in a panel, which takes the keyboard until it is closed."""
    for _ in range(FILLS):
        tool("key", "Escape")
        act(title, click_middle)
        tool("key", "ctrl+a")
        tool("type", sys.argv[1])
        tool("key", "Return")
        if find("^Sent ", 5):
            return
    sys.exit("screen.py: the form was not sent")


act("^Notes ", lambda page: tool("windowfocus", page))
act("^Notes ", click_middle)
act("^Copied ", lambda page: page)
fill("^(Copied|Sent) ")
tool("key", "ctrl+s")
save()
print_page("^Sent ")
save()
