#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person at a screen (DISPLAY) with the site of traces.py in the worker's browser.

    screen.py TEXT

Clicks, types TEXT into the form, and tries to save the page, with mouse and keyboard. Fails if the browser asks where.
"""
import sys

from windows import act, click_middle, find, tool

MOMENT = 3  # seconds in which a dialog would appear


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
if find("^Save", MOMENT):
    sys.exit("screen.py: the browser asks where to save the page")
