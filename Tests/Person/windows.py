# SPDX-License-Identifier: Apache-2.0
"""Windows on the screen DISPLAY, found by their titles with xdotool.

    windows.py TITLE    waits until a visible window has a title that the regular expression TITLE matches
"""
import re
import subprocess
import sys
import time

# Seconds for a window to appear or to close. The first window of a browser that is not in memory yet, on a machine that
# also does other things, has taken more than a minute.
PATIENCE = 180.0
INTERVAL = 0.2  # seconds between two searches
MARKS = re.compile("[\u200e\u200f\u202a-\u202e]")  # direct the text of a title that is written from right to left


def tool(*words):
    """Runs xdotool. Raises CalledProcessError, for example if a window that it names is closed."""
    return subprocess.run(["xdotool", *words], stdout=subprocess.PIPE, timeout=PATIENCE, check=True, text=True).stdout


def search(title):
    """The numbers of the visible windows whose title the regular expression matches.

    xdotool fails in the same way if there is none and if any window closes during its search. Only its message tells
    the two cases apart. In the second case, the search is repeated."""
    deadline = time.monotonic() + PATIENCE
    while True:
        # Without `--sync`, which does not wait if a window closes during the search.
        run = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", title], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=PATIENCE, check=False, text=True)
        if run.returncode == 0 or not run.stderr.strip():
            return run.stdout.split()
        if time.monotonic() > deadline:
            sys.exit(f"xdotool search {title}: {run.stderr.strip()}")


def titles():
    """The visible windows and their titles. A window may close while it is queried."""
    windows = search(".")
    try:
        # One process for all of them, because a busy machine starts processes slowly.
        words = [word for window in windows for word in ("getwindowname", window)]
        names = tool(*words).split("\n")[:-1] if words else []
        if len(names) == len(windows):
            return {window: MARKS.sub("", name.strip()) for window, name in zip(windows, names)}
    except subprocess.CalledProcessError:
        pass
    seen = {}
    for window in windows:
        try:
            seen[window] = MARKS.sub("", tool("getwindowname", window).strip())
        except subprocess.CalledProcessError:
            pass
    return seen


def find(title, patience=PATIENCE):
    """Waits for a visible window whose title the regular expression matches.

    Returns the number of this window, or of the last one if there are several; None if no window appears in time.
    """
    deadline = time.monotonic() + patience
    while True:
        found = search(title)
        if found:
            return found[-1]
        if time.monotonic() > deadline:
            return None
        time.sleep(INTERVAL)


def await_closed(title):
    """Waits until no visible window has such a title. Exits if a window keeps the title."""
    deadline = time.monotonic() + PATIENCE
    while search(title):
        if time.monotonic() > deadline:
            sys.exit(f"the window {title} stays")
        time.sleep(INTERVAL)


def act(title, action):
    """Calls `action` with the number of a window. A window that closes meanwhile is looked for again: some toolkits
    replace a dialog's window before they show it. Exits if there is no window in time."""
    deadline = time.monotonic() + PATIENCE
    while True:
        window = find(title, max(0, deadline - time.monotonic()))
        if window is None:
            sys.exit(f"no window {title}, but {sorted(titles().values())}")
        try:
            return action(window)
        except subprocess.CalledProcessError:
            if time.monotonic() > deadline:
                raise
            time.sleep(INTERVAL)


def size(window):
    """Width and height of a window, in pixels."""
    lines = dict(line.split("=") for line in tool("getwindowgeometry", "--shell", window).split())
    return int(lines["WIDTH"]), int(lines["HEIGHT"])


def clicking(button):
    """xdotool's words for a click: the button, after the keys that are held, as in `ctrl+shift 1`."""
    *held, button = button.split()
    keys = held[0].split("+") if held else []
    return [*(word for key in keys for word in ("keydown", key)), "click", button,
            *(word for key in reversed(keys) for word in ("keyup", key))]


def click(window, x, y):
    """Clicks at a point of a window, in pixels from its upper left corner."""
    tool("mousemove", "--window", window, str(x), str(y), "click", "1")


def click_middle(window):
    width, height = size(window)
    click(window, width // 2, height // 2)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    act(sys.argv[1], lambda window: window)
