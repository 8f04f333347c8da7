# SPDX-License-Identifier: Apache-2.0
"""What is open on the screen DISPLAY: windows with their titles, whether Chromium shows that a page is blocked, and
whether a dialog covers a page of Firefox."""
import re
import time

from pixels import Screen
from windows import PATIENCE, search, titles, tool

# Titles of a window whose first page is still loading. That of a sign-in window or of the home window has no ending.
LOADING = {title + ending for title in ("Untitled", "New Tab") for ending in (" - Chromium", "")}
QUIET = 0.6  # seconds without a change of the windows, after which an attempt has had its effect
# The title of a window whose page has no title, for example because it is blocked or still loads: an address, or a name
# without a dot, which a walk types.
ADDRESS = re.compile(r"(\S*[.:/]\S*( - Chromium)?|[a-z0-9]+ - Chromium)$")
PAINT = 2.0  # seconds without a change, after which a page is shown as a whole
BLANK = 5.0  # seconds for a page to appear in a window that already has its title
PIXEL = 4  # bytes
BLOCKED = "blocked: "  # before the title of a window that shows that its page is blocked
COVERED = "covered: "  # before the title of a window in which a dialog covers the page


def settled(quiet=QUIET):
    """The windows once they have not changed for a moment, and each has a page."""
    seen, since = titles(), time.monotonic()
    deadline = since + PATIENCE
    while (time.monotonic() - since < quiet or not LOADING.isdisjoint(seen.values())) and time.monotonic() < deadline:
        time.sleep(0.1)
        now = titles()
        if now != seen:
            seen, since = now, time.monotonic()
    return seen


def focus(window):
    """Gives a window the keyboard."""
    tool("windowraise", window)
    tool("windowfocus", "--sync", window)


class CoveredPage:
    """Whether a dialog lies over the page of a Firefox window: Firefox then makes the whole page half as bright. Such a
    dialog is no window of its own and does not change the title."""

    # Where a page is examined, measured from its edges: no dialog is as wide as the window.
    MARGIN, UP = 12, 90
    # The brightness of a page that is covered. The tests' pages and the browser's own ones are brighter.
    HALF = range(96, 160)

    def __init__(self):
        self.screen = Screen()

    def is_in(self, window):
        """Whether the page of a window that has the keyboard is covered."""
        place = dict(line.split("=") for line in tool("getwindowgeometry", "--shell", window).split())
        x, y, width, height = (int(place[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))
        points = [(x + self.MARGIN, y + height - self.UP), (x + self.MARGIN, y + height // 2),
                  (x + width - 2 * self.MARGIN, y + height // 2)]
        pixels = [self.screen.read(*point, 1, 1)[:3] for point in points]
        return all(pixel and all(part in self.HALF for part in pixel) for pixel in pixels)


class BlockedPage:
    """The picture of Chromium's page that says that a page is blocked: an icon and a heading. One of
    Chromium's own pages may have no title. Its window's title is then its address, as with a blocked page."""

    # Pixels of the icon and the heading: to both sides of the window's middle, and from the window's upper edge.
    SIDE, TOP, BOTTOM = 310, 205, 375

    def __init__(self, window):
        self.screen = Screen()
        self.picture = self.strip(window, self.TOP, self.BOTTOM)

    def is_in(self, window, title):
        """Whether a window that has the keyboard shows the page, with or without bars above it. A busy browser shows it
        later than the title: until then, the page is blank or changes."""
        before, since, deadline = None, time.monotonic(), time.monotonic() + PATIENCE
        while self.picture not in self.strip(window, 0, None):
            now, shown = time.monotonic(), self.strip(window, self.TOP, self.BOTTOM)
            if shown != before:
                before, since = shown, now
            is_blank = not shown or shown == shown[:PIXEL] * (len(shown) // PIXEL)
            if not ADDRESS.match(title) or now > min(deadline, since + (BLANK if is_blank else PAINT)):
                return False
            time.sleep(0.1)
        return True

    def strip(self, window, top, bottom):
        """The pixels of a window between two heights."""
        place = dict(line.split("=") for line in tool("getwindowgeometry", "--shell", window).split())
        x, y, width, height = (int(place[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))
        return self.screen.read(
            x + width // 2 - self.SIDE, y + top, 2 * self.SIDE, (height if bottom is None else bottom) - top)
