# SPDX-License-Identifier: Apache-2.0
"""Random walks of keys and clicks in the windows of a person (escape.py)."""
import random
import subprocess

from opened import ADDRESS, LOADING, focus, settled
from windows import clicking, size, titles, tool

STEPS = 30  # of a walk
CLICKS = 0.25  # the share of clicks among the steps
PLAIN = [
    *"abcdefghijklmnopqrstuvwxyz0123456789", "Tab", "Tab", "Tab", "shift+Tab", "Return", "Return", "space", "Escape",
    "Up", "Down", "Left", "Right", "Home", "End", "Next", "Prior", "BackSpace", "Delete",
]
PLAINLY = 0.4  # the share of plain keys among the keys
BUTTONS = ["1", "1", "1", "1", "2", "3", "3", "ctrl 1", "shift 1", "alt 1", "ctrl+shift 1", "shift 2"]


def steps(seed, shortcuts):
    """The steps of a walk. Each is a number that chooses the window, the place of the click (None for a key), and words
    for xdotool. The steps depend only on the seed and the shortcuts."""
    source = random.Random(seed)
    for _ in range(STEPS):
        chooser = source.random()
        if source.random() < CLICKS:
            yield chooser, (source.random(), source.random()), clicking(source.choice(BUTTONS))
        else:
            keys = source.choice(PLAIN if source.random() < PLAINLY else shortcuts)
            yield chooser, None, ["key", keys]


def walk(person, seed, data):
    """Walks, and returns the titles that appeared. Then closes what was opened."""
    # A person who closes the home window ends its program.
    closes = person.kind != "home"
    shortcuts = [each["keys"] for each in data if "keys" in each and (closes or not each.get("closes"))]
    if person.is_chromium and person.kind != "home":
        person.open_second()
    before, shown = titles(), set()
    for chooser, place, words in steps(seed, shortcuts):
        now = person.windows()
        shown |= {
            title for window, title in now.items()
            if before.get(window) != title and title not in LOADING and not ADDRESS.match(title)
        }
        if not now:
            person.reopen()
            continue
        # Mostly in the newest window.
        ordered = sorted(now, key=int)
        window = ordered[-1] if chooser < 0.7 else ordered[int(chooser * 1000) % len(ordered)]
        try:
            where = []
            if place:
                width, height = size(window)
                where = ["mousemove", "--window", window, str(int(place[0] * width)), str(int(place[1] * height))]
            tool("windowraise", window, "windowfocus", window, *where, *words)
        except subprocess.CalledProcessError:
            pass  # the window has closed
    shown |= {plain(person, window, title) for window, title in person.changes(before, settled()).items()}
    # A walk touches whatever a web page shows, even elements that open a dialog for a message or for a printer.
    shown |= {"a walk, " + title for title in person.covered().values()}
    person.second = None
    person.tidy()
    person.reopen()
    return sorted(shown)


def plain(person, window, title):
    """The title of a window, after its page has been reset: the blocked page is neither selected nor enlarged."""
    if not person.reference or not ADDRESS.match(title):
        return title
    try:
        focus(window)
        tool("key", "Escape", "key", "ctrl+0", "key", "F5")
        return person.label(window, settled().get(window, ""))
    except subprocess.CalledProcessError:
        return ""  # it has closed
