#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person at the screen DISPLAY who tries to get out of a browser's window.

    escape.py KIND TITLE PROCESS [--all] [--only TEXT] [--walks NUMBER] [--walks-only] [--seed NUMBER]
              [--without-page] [--platform ORIGIN] [--sign-in USER PASSWORD] [-- COMMAND...]

KIND is sign-in, home, workers (the worker's Chromium) or firefox (the worker's Firefox). Waits for the window with the
title TITLE (a regular expression), makes the attempts of escapes.json in it, and then random walks of keys and clicks.
The attempts are a sample or, with --all, all of them; those with an address are made in a second window. If an attempt
has closed the window, runs COMMAND, if there is one, and waits for the window again. In COMMAND, OUTSIDE is the address
of a page that asks for everything that a page can ask for. PROCESS is the process whose descendants the windows are.

    --only      with --all, only the attempts that the regular expression TEXT matches, or whose group it matches
    --walks     the number of random walks (default: 0)
    --seed      the seed of the first walk (default: any); each further walk has the next number. A walk is repeated
                with its own seed, --walks 1 and --walks-only
    --walks-only  without attempts
    --without-page  with --all, the person makes the attempts again after the page of the home screen has died. The window
                must not be replaced meanwhile
    --platform  the origin of the identity platform's pages
    --sign-in   then signs in in the first window

Prints a JSON object:

    attempts    for each attempt, the titles of the windows that were new or had another title. Before the title of a
                window that shows that its page is blocked, `blocked: `; if a dialog covers a page of Firefox, `covered: `
    running     the unexpected programs and ports of the descendants of PROCESS after each attempt, if there were any
    walks       the same for each walk, by its seed, if anything was new
    escapes     what appeared and is not among the exceptions of escapes.json
    observed    what the descendants of PROCESS could do at the end, and which names they have (observers.py)
"""
import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from observers import descendants, observe, running
from opened import ADDRESS, BLOCKED, COVERED, PAINT, QUIET, BlockedPage, CoveredPage, focus, settled
from outside import download, serve
from walk import walk
from windows import PATIENCE, clicking, find, search, size, titles, tool

HERE = pathlib.Path(__file__).resolve().parent
DATA = json.loads((HERE / "escapes.json").read_text(encoding="utf-8"))
SECOND = "ctrl+n"  # opens a second window
# One of Chromium's own pages, which no window opens. The title of the page's window is the page's address.
REFERENCE = "chrome://net-export"
CLOSING = ["Escape", "ctrl+shift+w", "ctrl+w", "alt+F4"]
ATTEMPTS = 3  # to type a password
STEPS = 12  # of the pointer with a file
MENU = 0.3  # seconds for a menu to open, at most
SHORT = 0.3  # seconds without a change of the windows after a key that need not have an effect


class Person:
    def __init__(self, options, outside):
        self.kind, self.title, self.command, self.outside = options.kind, options.title, options.command, outside
        self.platform = options.platform
        self.roots, self.reference, self.first, self.second, self.made = [options.process], None, None, None, {}
        self.openers, self.running = [], {}
        self.cover = None if self.is_chromium else CoveredPage()
        # The titles of the windows that do not belong to the browser.
        self.others = {title for title in settled().values() if not re.search(self.title, title)}
        self.reopen()

    @property
    def is_chromium(self):
        return self.kind != "firefox"

    def windows(self):
        """The windows that the person sees, without those that do not belong to the browser."""
        return {window: title for window, title in titles().items() if title not in self.others}

    def reopen(self):
        """Opens the window again if it is closed."""
        if self.first in self.windows():
            return
        # Without a command, the window opens on its own.
        found = find(self.title, 0 if self.command else PATIENCE)
        if not found and not self.command:
            sys.exit(f"no window {self.title}, but {sorted(titles().values())}")
        self.first = found or self.run_command()
        settled()

    def run_command(self):
        """Runs the command, again if it fails: while a device is still ending a sign-in, the device refuses the next
        one."""
        command = [word.replace("OUTSIDE", self.outside + "/all") for word in self.command]
        deadline = time.monotonic() + PATIENCE
        opener = None
        said = tempfile.TemporaryFile("w+")
        while time.monotonic() < deadline:
            if opener is None or opener.poll():
                opener = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
                self.openers.append(opener)
            found = search(self.title)
            if found:
                if self.kind == "home":
                    self.roots.append(opener.pid)
                return found[-1]
            time.sleep(0.1)
        said.seek(0)
        sys.exit(f"{' '.join(command)} opens no window {self.title}, but {sorted(titles().values())}: {said.read()}")

    def open_second(self):
        """Opens a second window, unless one is open, and returns it."""
        if self.second in titles():
            return self.second
        opened = self.press(SECOND, self.first, again=True)
        self.second = next(iter(opened), None) or sys.exit(f"{SECOND} opens no window")
        if self.is_chromium and not self.reference:
            self.go(self.second, REFERENCE)
            title = titles()[self.second]
            if not title.startswith(REFERENCE):
                sys.exit(f"{REFERENCE} opens: {title}")
            focus(self.second)
            settled(PAINT)
            self.reference = BlockedPage(self.second)
        return self.second

    def label(self, window, title):
        """The title of a window, and whether its page is blocked."""
        try:
            focus(window)
            if not self.reference:
                return title
            if not self.reference.is_in(window, title):
                if not ADDRESS.match(title):
                    return title
                # A bubble of the browser, such as that of a group of tabs, may lie over the page, and so may the list of
                # addresses below what was typed.
                if not any(self.escaped(window, title) for _ in range(2)):
                    return title
            return BLOCKED + title
        except subprocess.CalledProcessError:
            return title  # it has closed

    def escaped(self, window, title):
        """Whether a window shows the blocked page after a further press of Escape."""
        tool("key", "Escape")
        return self.reference.is_in(window, title)

    def changes(self, before, after):
        """The windows that are new or have another title."""
        return {
            window: self.label(window, title) for window, title in after.items()
            if title not in self.others and before.get(window) != title
        }

    def press(self, keys, window, again=False):
        """Presses a shortcut, with `again` until it has an effect, and returns what changed."""
        before = titles()
        deadline = time.monotonic() + PATIENCE
        while True:
            focus(window)
            tool("key", keys)
            after = settled()
            # A window that has just got the keyboard may miss a key.
            if not again or any(each not in before for each in after) or time.monotonic() > deadline:
                return self.changes(before, after)

    def choose(self, menu, window, entry, below=None):
        """Opens a menu and chooses an entry, or an entry of the entry's own menu."""
        before, count = titles(), len(search(""))
        focus(window)
        if menu == "right click":
            width, height = size(window)
            tool("mousemove", "--window", window, str(width // 2), str(height // 2), "click", "3")
        else:
            tool("key", menu)
        deadline = time.monotonic() + MENU
        while len(search("")) == count and time.monotonic() < deadline:
            time.sleep(0.02)
        further = [] if below is None else ["Right"] + ["Down"] * below
        tool("key", "--delay", "20", *["Down"] * entry, *further, "Return")
        return self.changes(before, settled())

    def go(self, window, address):
        """Types an address into an ordinary window, and waits for the effect."""
        before = titles()
        # Chromium shows the address of a blocked page as its title. If the title is different, Chromium may have lost a
        # key.
        for quiet, delay in ((SHORT, "12"), (QUIET, "25")) if self.is_chromium else ((QUIET, "25"),):
            focus(window)
            tool("key", "ctrl+l")
            settled(quiet)
            tool("type", "--delay", delay, address)
            tool("key", "Return")
            deadline = time.monotonic() + SHORT
            while self.is_chromium and time.monotonic() < deadline:
                if titles().get(window, "").startswith(address):
                    return before, titles()
                time.sleep(0.05)
            after = settled()
        return before, after

    def visit(self, window, address):
        """Types an address, and returns the titles of this window and of those that changed."""
        before, after = self.go(window, address.replace("OUTSIDE", self.outside).replace("PLATFORM", self.platform))
        shown = self.changes(before, after)
        if window in after:
            shown[window] = self.label(window, after[window])
        return shown

    def ask(self, window, name, held=""):
        """Opens a page that asks for something, and answers with the keyboard or, with `held`, with a click while these
        keys are held."""
        shown = self.visit(window, f"{self.outside}/{name}")
        before = titles()
        focus(window)
        if held:
            width, height = size(window)
            tool("mousemove", "--window", window, str(width // 2), str(height // 2), *clicking(held))
        else:
            tool("key", "space")
        after = settled()
        shown |= self.changes(before, after)
        # A dialog of Chromium may lie in the page's own window.
        for each in set(after) - set(before) or ({window} if self.is_chromium else set()):
            focus(each)
            tool("key", "Return")
        return shown | self.changes(after, settled())

    def tidy(self):
        """Closes every window that an attempt has opened."""
        for keys in CLOSING:
            extra = self.windows().keys() - {self.first, self.second}
            for window in extra:
                try:
                    focus(window)
                    tool("key", keys)
                except subprocess.CalledProcessError:
                    pass  # it has closed
            if extra:
                settled(SHORT)
        for window in (self.second, self.first):
            if window in titles():
                focus(window)
                tool("key", "Escape")

    def report(self, what):
        """Reports at once what should not have appeared."""
        for title in self.made[what]:
            if not is_excepted(self.kind, title, what):
                print(f"escape.py: {what}: {title}", file=sys.stderr, flush=True)

    def covered(self):
        """The windows of Firefox in which a dialog covers the page. The window's title does not show this."""
        found = {}
        for window, title in self.windows().items() if self.cover else ():
            try:
                focus(window)
                if self.cover.is_in(window):
                    found[window] = COVERED + title
            except subprocess.CalledProcessError:
                pass  # it has closed
        return found

    def look(self, what):
        """Notes which programs run now and on which ports they listen, if that is not expected."""
        now = running(self.roots)
        found = [f"{name}: {each}" for name, seen in now.items() for each in seen
                 if not any(re.fullmatch(pattern, str(each)) for pattern in excepted(self.kind, name))]
        if found:
            self.running[what] = found
            print(f"escape.py: {what}: {found}", file=sys.stderr, flush=True)

    def attempt(self, what, action):
        """Makes an attempt, notes what it showed, and closes it."""
        try:
            shown = action()
        except subprocess.SubprocessError:
            shown = self.changes({}, settled())  # its window has closed, or does not take the keyboard
        shown |= self.covered()
        self.made[what] = sorted(set(shown.values()))
        self.report(what)
        self.look(what)
        self.tidy()
        self.reopen()


def drop(person, window):
    """Drags a file of the device into the middle of a window."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        os.chmod(file.name, 0o644)
        source = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(HERE / "drag.py"), file.name],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "GDK_BACKEND": "x11"})
        try:
            source.stdout.readline()
            file_window = find("^A file to drag$")
            person.others.add("A file to drag")
            width, height = size(window)
            tool("mousemove", "--window", file_window, "50", "50", "mousedown", "1")
            for step in range(STEPS):
                tool("mousemove_relative", "3", "3")
                time.sleep(0.02)
            focus(window)
            before = settled()
            for step in range(STEPS):
                tool("mousemove", "--window", window, str(width // 2 + step), str(height // 2 + step))
                time.sleep(0.05)
            tool("mouseup", "1")
            return person.changes(before, settled())
        finally:
            source.kill()
            source.wait()


def crash(person):
    """Ends the processes that show pages, and returns the titles of the windows that this opened."""
    before = titles()
    if not kill(person, lambda words: "--type=renderer" in words or "-contentproc" in words and words[-1] == "tab"):
        sys.exit("no process shows a page")
    opened = person.changes(before, settled())
    focus(person.first)
    return opened


def crash_browser(person):
    """Ends the process of Firefox that shows the windows, and returns the titles of the windows that this opened."""
    before = titles()
    if not kill(person, lambda words: words[0].endswith("/firefox-esr") and "-contentproc" not in words):
        sys.exit("no process is Firefox")
    return person.changes(before, settled())


def kill(person, is_meant):
    """Ends the processes of the windows with a signal as after a fault, and returns how many there were."""
    count = 0
    for each in (process for root in person.roots for process in descendants(root)):
        try:
            with open(f"/proc/{each}/cmdline", encoding="utf-8") as file:
                words = file.read().replace("\0", " ").split()
            if words and is_meant(words):
                os.kill(each, signal.SIGSEGV)
                count += 1
        except OSError:
            pass  # it has ended
    return count


def chosen(kind, everything, only=""):
    """The attempts with a browser: all of them, or some, or the sample."""
    browser = DATA["attempts"]["firefox" if kind == "firefox" else "chromium"]
    found = [
        each for name, group in browser.items() for each in group
        if kind in each.get("in", [kind]) and (everything or each.get("sample")) and any(
            re.search(only, str(text)) for text in [name, *each.values()])
    ]
    # What closes a window comes last.
    return sorted(found, key=lambda each: each.get("closes", False))


def in_window(person, data, window, where=""):
    """Makes the attempts with the keyboard and the menus in the window that `window` returns."""
    for each in data:
        # A person who closes the home window ends its program.
        if each.get("closes") and person.kind == "home":
            continue
        if "keys" in each:
            person.attempt(where + each["keys"], lambda: person.press(each["keys"], window()))
        for entry in range(1, each.get("entries", 0) + 1):
            for below in (None, *range(each.get("below", 0))):
                name = f"{where}{each['menu']} {entry}" + ("" if below is None else f", {below}")
                person.attempt(name, lambda: person.choose(each["menu"], window(), entry, below))


def at_addresses(person, data):
    """Types the addresses into a second window and, in a worker's browser, opens the pages that ask for something."""
    for each in data:
        if "address" in each:
            person.attempt(each["address"], lambda: person.visit(person.open_second(), each["address"]))
        if "page" in each and person.kind in ("workers", "firefox"):
            click = each.get("click", "")
            name = "a page: " + each["page"] + (click and ", click " + click)
            person.attempt(name, lambda: person.ask(person.open_second(), each["page"], click))


def make_attempts(person, options):
    data = chosen(person.kind, options.all, options.only)
    if person.kind != "home":
        person.open_second()
    in_window(person, data, lambda: person.first)
    if person.kind != "home":
        at_addresses(person, data)
    if options.all and person.kind != "home":
        in_window(person, data, person.open_second, "second window: ")
    if person.kind in ("workers", "firefox"):
        # A page that reads a file that is dropped on it, in a window to which nothing else has happened.
        person.second = None
        person.tidy()
        person.visit(person.open_second(), "OUTSIDE")
    person.attempt("drop", lambda: drop(person, person.second or person.first))
    if person.kind == "home" and options.without_page and options.all:
        without_page(person, data)
        return
    person.attempt("crash", lambda: crash(person))
    focus(person.first)
    tool("key", "F5")
    if person.kind == "firefox":
        person.attempt("crash of the browser", lambda: crash_browser(person))


def without_page(person, data):
    """Makes the attempts in a home window whose page has died, so that it catches no key."""
    person.attempt("crash", lambda: crash(person))
    person.open_second()
    in_window(person, data, lambda: person.first, "dead page: ")
    at_addresses(person, data)
    in_window(person, data, person.open_second, "second window: ")


def sign_in(first, user, password):
    """Signs in with the keyboard. A page that was still loading may have lost a key."""
    for _ in range(ATTEMPTS):
        focus(first)
        tool("key", "F5")
        settled()
        tool("type", "--delay", "25", user)
        tool("key", "Tab")
        tool("type", "--delay", "25", password)
        tool("key", "Return")
        deadline = time.monotonic() + PATIENCE / ATTEMPTS
        while time.monotonic() < deadline:
            if first not in settled():
                return
    sys.exit("escape.py: the person could not sign in")


def excepted(kind, name, what=None):
    """The exceptions called `name` that hold in a window of this kind, after the attempt `what` if it is given."""
    return [each[name] for each in DATA["exceptions"]
            if name in each and kind in each["in"] and re.fullmatch(each.get("attempt", ".*"), what or "")]


def is_excepted(kind, title, what):
    return any(re.match(each, title) for each in excepted(kind, "title", what))


def escapes(kind, made, observed):
    """What appeared and is not among the exceptions. On a busy machine, a window may appear only during the next
    attempt, so an exception holds for each attempt in its window."""
    found = [
        f"{what}: {title}" for what, shown in made.items() for title in shown if not is_excepted(kind, title, what)]
    for name in ("files", "outside", "writable"):
        found += [f"{name}: {each}" for each in observed[name] if each not in excepted(kind, name)]
    return found


def parse():
    own = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["sign-in", "home", "workers", "firefox"])
    parser.add_argument("title")
    parser.add_argument("process", type=int)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--walks", type=int, default=0)
    parser.add_argument("--walks-only", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--without-page", action="store_true")
    parser.add_argument("--platform", default="https://127.0.0.1:1")
    parser.add_argument("--sign-in", nargs=2)
    options = parser.parse_args(own)
    options.command = sys.argv[len(own) + 2:]
    return options


def main():
    options = parse()
    port = serve()
    person = Person(options, f"http://127.0.0.1:{port}")
    file = download(port)
    if not options.walks_only:
        make_attempts(person, options)
    found = escapes(options.kind, person.made, observe(person.roots, file))
    person.look("at the end")
    walks = {}
    for seed in range(options.seed, options.seed + options.walks):
        shown = walk(person, seed, chosen(options.kind, True))
        person.made[f"walk {seed}"] = shown
        person.report(f"walk {seed}")
        person.look(f"walk {seed}")
        observed = observe(person.roots, file)
        walks[str(seed)] = shown
        found += [each for each in escapes(options.kind, {f"walk {seed}": shown}, observed) if each not in found]
    report = {
        "attempts": {re.sub(r"127\.0\.0\.1:\d+", "outside", what): shown for what, shown in person.made.items()
                     if not what.startswith("walk ")},
        "escapes": found + [f"{what}: {each}" for what, seen in person.running.items() for each in seen],
        "running": person.running, "observed": observe(person.roots, file),
        "walks": {seed: shown for seed, shown in walks.items() if shown},
    }
    if options.sign_in:
        sign_in(person.first, *options.sign_in)
    print(json.dumps(report), flush=True)


main()
