#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person at the window of the sample app WardRound (DISPLAY), who reads it as a screen reader does
(DBUS_SESSION_BUS_ADDRESS).

    window.py reads TEXT…       waits until each text is in the window, including its hidden pages
    window.py texts             prints every text in the window, including its hidden pages
    window.py at NAME           waits until the keyboard focus is on the control of this name
    window.py away NAME         waits until the keyboard focus is not on a control of this name
    window.py press NAME        presses the button of this name, once the keyboard focus is in its page
    window.py tab NAME          presses Shift+Tab until the keyboard focus is on the control of this name
    window.py leave             makes the screen's background active in place of the window
    window.py return            makes the window active again
    window.py type TEXT         types
    window.py key KEY…          presses keys
"""
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

from windows import PATIENCE, act, tool  # noqa: E402

APP = "ward-round"


def controls():
    """Everything in the window, as name, text, whether it has the keyboard focus, and the object itself."""
    desktop = Atspi.get_desktop(0)
    desktop.clear_cache()
    waiting = [app for app in map(desktop.get_child_at_index, range(desktop.get_child_count())) if app.get_name() == APP]
    while waiting:
        one = waiting.pop()
        text = ""
        if "Text" in one.get_interfaces():
            text = Atspi.Text.get_text(one, 0, Atspi.Text.get_character_count(one))
        yield one.get_name(), text, one.get_state_set().contains(Atspi.StateType.FOCUSED), one
        waiting += map(one.get_child_at_index, range(one.get_child_count()))


def look(wanted):
    """Looks until `wanted` returns something. The window may change while a person looks, and they look again."""
    deadline = time.monotonic() + PATIENCE
    seen = []
    while time.monotonic() < deadline:
        try:
            seen = list(controls())
            found = wanted(seen)
            if found:
                return found
        except (GLib.Error, AttributeError):
            pass
        time.sleep(0.05)
    sys.exit(f"window.py: in vain: {sys.argv[1:]}; the keyboard is at {focused(seen)}, the texts are {sorted(texts(seen))}")


def texts(seen):
    return {text for name, text, _, _ in seen} | {name for name, _, _, _ in seen}


def focused(seen):
    return [name for name, _, has_keyboard, _ in seen if has_keyboard]


def main():
    command, *words = sys.argv[1:]
    if command == "reads":
        look(lambda seen: all(any(word in text for text in texts(seen)) for word in words))
    elif command == "texts":
        print("\n".join(sorted(look(texts))))
    elif command == "at":
        look(lambda seen: words[0] in focused(seen))
    elif command == "away":
        look(lambda seen: words[0] not in focused(seen))
    elif command == "press":
        button = look(lambda seen: [one for name, _, _, one in seen if name == words[0] and one.get_role_name() == "push button"])
        Atspi.Action.do_action(button[0], 0)
    elif command == "tab":
        for _ in range(12):
            if words[0] in look(focused):
                return
            tool("key", "--clearmodifiers", "shift+Tab")
        sys.exit(f"window.py: Shift+Tab does not reach {words[0]}")
    elif command == "leave":
        tool("windowfocus", "--sync", tool("search", "--maxdepth", "0", ".*").split()[0])
    elif command == "return":
        act("^Ward round$", lambda window: tool("windowfocus", "--sync", window))
    elif command == "type":
        tool("type", words[0])
    elif command == "key":
        tool("key", *words)
    else:
        sys.exit(__doc__)


main()
