#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person at a screen (DISPLAY) with the site of traces.py in the worker's browser.

    screen.py TEXT

Clicks, types TEXT into the form, saves the page, and prints it into a file, with mouse and keyboard.
"""
import subprocess
import sys
import time

PATIENCE = 60.0  # seconds for a window to appear


def tool(*words, timeout=PATIENCE):
    return subprocess.run(["xdotool", *words], stdout=subprocess.PIPE, timeout=timeout, check=True, text=True).stdout


def window(title):
    """Waits for a window with this title."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return tool("search", "--sync", "--onlyvisible", "--name", title).split()[-1]
        except subprocess.CalledProcessError:
            # A window that closes during the search ends it.
            if time.monotonic() > deadline:
                raise


def size(of):
    lines = dict(line.split("=") for line in tool("getwindowgeometry", "--shell", of).split())
    return int(lines["WIDTH"]), int(lines["HEIGHT"])


def click(at, x, y):
    tool("mousemove", "--window", at, str(x), str(y), "click", "1")


def save():
    """Confirms the next dialog that saves a file. Its button is in the lower right corner."""
    dialog = window("^Save")
    width, height = size(dialog)
    click(dialog, width - 50, height - 28)
    deadline = time.monotonic() + PATIENCE
    while subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "^Save"], stdout=subprocess.DEVNULL, check=False).returncode == 0:
        if time.monotonic() > deadline:
            sys.exit("screen.py: the dialog stays")
        time.sleep(0.05)


def appears(title, *keys):
    """Presses the keys until a window appears. A browser ignores keys while it prepares the page for printing."""
    for _ in range(int(PATIENCE)):
        tool("key", *keys)
        try:
            tool("search", "--sync", "--onlyvisible", "--name", title, timeout=1)
            return
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            pass
    sys.exit(f"screen.py: no window {title}")


def fill(page):
    """Types into the form and sends it. Repeats this if the keys went elsewhere: at an unpredictable moment, Firefox
    shows a download in a panel, which takes the keyboard until it is closed."""
    width, height = size(page)
    for _ in range(int(PATIENCE / 5)):
        tool("key", "Escape")
        click(page, width // 2, height // 2)
        tool("key", "ctrl+a")
        tool("type", sys.argv[1])
        tool("key", "Return")
        try:
            tool("search", "--sync", "--onlyvisible", "--name", "^Sent ", timeout=5)
            return
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            pass
    sys.exit("screen.py: the form was not sent")


page = window("^Notes ")
width, height = size(page)
tool("windowfocus", page)
click(page, width // 2, height // 2)
window("^Copied ")
fill(page)
tool("key", "ctrl+s")
save()
click(page, width // 2, height // 2)
tool("key", "ctrl+p")
appears("^Save", "Return")
save()
