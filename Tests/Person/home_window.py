#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person at the window of the home screen (DISPLAY), who reads it as a screen reader does
(DBUS_SESSION_BUS_ADDRESS).

    home_window.py reads TEXT…            waits until each text is in the window
    home_window.py crash HOME             ends the processes of the pages in the windows of the process HOME
    home_window.py tries HOME ADDRESS…    crashes the page, opens the browser's task manager and a second window, and types
                                          each address there; fails if an address shows more than that it is blocked
    home_window.py alone                  fails if there is another window on the screen
    home_window.py holds PORT             asks for the next view all the time, as the page does; prints a line when it has
                                          got one
    home_window.py handover PORT PID…     prints a line, waits until the home screen serves the view *Ready*, and fails if
                                          one of the processes runs at that moment
"""
import http.client
import json
import os
import re
import signal
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

from windows import PATIENCE, act, find, search, tool  # noqa: E402

BLOCKED = "This page is blocked"
SECOND = "[./:].* - Chromium$"  # the title of a second window contains its address
MANAGER = "^Task Manager"
PRESSES = 10
END = "End task"  # the button of the task manager


def shown():
    """The windows of Chromium: the name of each, and its parts as name, text, role and whether it can be used."""
    desktop = Atspi.get_desktop(0)
    desktop.clear_cache()
    for app in map(desktop.get_child_at_index, range(desktop.get_child_count())):
        for window in map(app.get_child_at_index, range(app.get_child_count())):
            waiting, parts = [window], []
            while waiting:
                one = waiting.pop()
                if one is None:
                    continue
                text = ""
                if "Text" in one.get_interfaces():
                    text = Atspi.Text.get_text(one, 0, Atspi.Text.get_character_count(one))
                usable = one.get_state_set().contains(Atspi.StateType.SENSITIVE)
                parts.append((one.get_name(), text, one.get_role_name(), usable))
                waiting += map(one.get_child_at_index, range(one.get_child_count()))
            yield window.get_name(), parts


def look(wanted):
    """Looks until `wanted` returns something for the windows. They may change while a person looks."""
    deadline = time.monotonic() + PATIENCE
    seen = []
    while time.monotonic() < deadline:
        try:
            seen = list(shown())
            found = wanted(seen)
            if found:
                return found
        except (GLib.Error, AttributeError):
            pass
        time.sleep(0.05)
    sys.exit(f"home_window.py: in vain: {sys.argv[1:]}; the windows are {seen}")


def texts(parts):
    return {name for name, _, _, _ in parts} | {text for _, text, _, _ in parts}


def reads(words):
    look(lambda seen: all(any(word in text for _, parts in seen for text in texts(parts)) for word in words))


def descendants(process):
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                found.append((int(entry), int(file.read().rsplit(")", 1)[1].split()[1])))
        except (FileNotFoundError, ProcessLookupError):
            pass
    known = {process}
    for _ in found:
        more = {pid for pid, parent in found if parent in known} - known
        if not more:
            break
        known |= more
    return known - {process}


def crash(home):
    """Ends the processes that show pages. Their parents, the processes that start them, keep running."""
    for process in descendants(home):
        try:
            with open(f"/proc/{process}/cmdline") as file:
                if "--type=renderer" in file.read().replace("\0", " ").split():
                    os.kill(process, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass


def press(keys, title):
    """Presses keys in the home window until they have opened a window with this title. A window that has just got the
    keyboard may miss them."""
    for _ in range(PRESSES):
        act("^Home screen", lambda window: tool("windowfocus", "--sync", window, "key", keys))
        if find(title, 3):
            return
    sys.exit(f"{keys} opens no window {title}")


def tries(home, addresses):
    press("shift+Escape", MANAGER)
    look(lambda seen: any(name == END and not usable for _, parts in seen for name, _, _, usable in parts))
    crash(home)
    reads(["Crashed"])
    press("ctrl+n", SECOND)
    for address in addresses:
        go(address)
        said = look(lambda seen: page(seen, address))
        if not any(BLOCKED in text for text in said):
            sys.exit(f"{address} shows {said}")


def go(address):
    """Types an address in the second window until the window shows it."""
    for _ in range(PRESSES):
        act(SECOND, lambda window: tool("windowfocus", "--sync", window, "key", "ctrl+l"))
        tool("type", address)
        tool("key", "Return")
        if find(f"{re.escape(host(address))}.* - Chromium$", 3):
            return
    sys.exit(f"the second window does not go to {address}: {sorted(name for name, _ in shown())}")


def host(address):
    """The part of an address that is in the window's title."""
    return address.split("//")[1].strip("/").split(":")[0]


def page(seen, address):
    """The texts of the window with this address, once its page has any."""
    for name, parts in seen:
        if host(address) in name and name.endswith(" - Chromium"):
            said = [name or text for name, text, role, _ in parts if role in ("heading", "paragraph", "static", "section")]
            if any(BLOCKED in text for text in said) or len(said) > 30:
                return said
    return None


def alone():
    names = [tool("getwindowname", window).strip() for window in search(".")]
    if names != ["Home screen"]:
        sys.exit(f"the windows are {names}")


def view(port, after):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", f"/view?after={after}" if after else "/view")
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def holds(port):
    after = view(port, 0)["change"]
    print("holds", flush=True)
    while True:
        after = view(port, after)["change"]


def handover(port, processes):
    answer = view(port, 0)
    print("waits", flush=True)
    while answer["view"]["title"] != "Ready":
        try:
            answer = view(port, answer["change"])
        except OSError:
            continue  # The program starts anew in its process after the session.
    running = [process for process in processes if is_running(process)]
    if running:
        sys.exit(f"{running} run while the home screen is ready")


def is_running(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


def main():
    command, *words = sys.argv[1:]
    if command == "reads":
        reads(words)
    elif command == "crash":
        crash(int(words[0]))
    elif command == "tries":
        tries(int(words[0]), words[1:])
    elif command == "alone":
        alone()
    elif command == "holds":
        holds(int(words[0]))
    elif command == "handover":
        handover(int(words[0]), [int(word) for word in words[1:]])
    else:
        sys.exit(__doc__)


main()
