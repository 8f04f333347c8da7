#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The person at the browser, for demonstrations and integration tests.

Configured as `browser.command` of baton-agent. Starts Debian's headless Chromium with the given profile, opens the page
and does what a person does: clicks the visible field for the user name and types, does the same for the password,
presses the button, and continues until the broker's own page on 127.0.0.1 shows the end. The browser then remains open
until it is ended, because a person leaves it open, too. Uses no knowledge of Baton except what a page shows.

    person.py --person FILE --profile FOLDER [--log FILE] [--chromium PROGRAM] [--ANY-CHROMIUM-OPTION=…]… URL

FILE is a JSON object:
    username              what is typed into the field with autocomplete=username
    password              what is typed into the field with autocomplete=current-password
    pin                   what is typed into fields with autocomplete=new-password; without it such a page is left alone
    mistypesPIN           true: types another PIN into the second of these fields, the first time
    wrongPasswordFirst    true: mistypes the password once
    closeInsteadOfSignIn  true: closes the browser when the sign-in page appears
    waitsFor              a FIFO: the person types the password once it has been opened for writing
    saves                 a text that is saved as a download and as a temporary file, before the password is sent
    starts                a program and its arguments, which the browser starts before it opens the page
    addressHas            a text that the address of the sign-in page contains; otherwise the person closes the browser
    withoutBrowser        true: starts no browser, and posts the pages' forms itself (forms.py), in a tenth of the time

If the right password is refused, the person closes the browser. A second call with the same profile hands its page to
the first, as browsers do. The log records what was done, never what was typed or where.
"""
import argparse
import fcntl
import json
import os
import select
import socket
import subprocess
import sys
import time

STEPS = 12  # pages of one sign-in
PATIENCE = 60.0  # seconds for a page to load

# What a person sees of a page: the visible fields, the button, an error text.
LOOK = r"""
(wish => {
  const seen = e => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    return box.width > 0 && box.height > 0 && style.visibility === 'visible' && !e.disabled;
  };
  const first = selector => [...document.querySelectorAll(selector)].find(seen);
  const place = e => {
    if (!e) return null;
    e.scrollIntoView({block: 'center'});
    const box = e.getBoundingClientRect();
    return {x: box.x + box.width / 2, y: box.y + box.height / 2, filled: e.value || ''};
  };
  const alert = first('[role=alert]');
  const ready = document.readyState === 'complete', isNew = !document.isSeen;
  document.isSeen = ready;
  return {
    url: location.href,
    isNew: ready && isNew,
    username: place(first('input[autocomplete~="username"]')),
    password: place(first('input[autocomplete~="current-password"]')),
    wish: place([...document.querySelectorAll('input[autocomplete~="new-password"]')].filter(seen)[wish]),
    button: place(first('form button[type=submit], form input[type=submit], form button:not([type])')),
    refused: !!(alert && alert.textContent.trim()),
  };
})
"""


class Gone(Exception):
    """The browser ended."""


class Chromium:
    """A Chromium process, driven over its DevTools pipe."""

    def __init__(self, program, profile, options, log):
        commands_out, self.commands = pipe()
        self.replies, replies_in = pipe()
        arguments = [
            program, "--headless=new", f"--user-data-dir={profile}", "--remote-debugging-pipe", "--no-first-run",
            "--no-default-browser-check", "--password-store=basic", "--disable-gpu",
            "--window-size=1000,1200",  # so high that no page scrolls, which would move the fields
            *options,
        ]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # root has no user namespace to build the sandbox in

        def arrange():
            os.dup2(commands_out, 3)
            os.dup2(replies_in, 4)

        self.process = subprocess.Popen(
            [*arguments, "about:blank"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(3, 4),
            preexec_fn=arrange)
        os.close(commands_out)
        os.close(replies_in)
        self.buffer = b""
        self.number = 0
        self.events = []

    def call(self, method, session=None, **parameters):
        """Sends a command and returns its result. Keeps the events that arrive meanwhile."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        try:
            write_all(self.commands, json.dumps(message).encode() + b"\0")
        except BrokenPipeError:
            raise Gone from None
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait_for(self, method, session):
        """Waits for an event of a page."""
        deadline = time.monotonic() + PATIENCE
        while True:
            for index, event in enumerate(self.events):
                if event["method"] == method and event.get("sessionId") == session:
                    del self.events[: index + 1]
                    return event.get("params", {})
            self.events = [self.receive(deadline)]

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.replies], [], [], left)[0]:
                raise TimeoutError("the browser does not answer, or the page does not come")
            chunk = os.read(self.replies, 1 << 16)
            if not chunk:
                raise Gone
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def drain(self):
        """Reads and drops messages that nothing waits for."""
        chunk = os.read(self.replies, 1 << 16)
        if not chunk:
            raise Gone
        self.buffer = (self.buffer + chunk).rsplit(b"\0", 1)[-1]
        self.events = []


class Page:
    """One page of the browser, as a person uses it."""

    def __init__(self, browser, target):
        self.browser = browser
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def next(self):
        """Waits for a page that was not returned before, and returns what it shows."""
        while True:
            # Events are dropped before the look, so that a page that loads during it is not missed.
            self.browser.events = []
            try:
                view = self.look()
                if view["isNew"]:
                    return view
            except RuntimeError:
                pass  # the page is just changing
            self.browser.wait_for("Page.loadEventFired", self.session)

    def look(self, wish=0):
        """Returns what the page shows. `wish` selects one of the fields for a new password, counted from 0."""
        result = self.call("Runtime.evaluate", expression=f"{LOOK}({wish})", returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError("the page cannot be looked at")
        return result["result"]["value"]

    def click(self, place):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = "none" if kind == "mouseMoved" else "left"
            self.call("Input.dispatchMouseEvent", type=kind, x=place["x"], y=place["y"], button=button, clickCount=1)

    def type_into(self, place, text):
        self.click(place)
        # Control+A selects the field's text, so that typing replaces it.
        for kind in ("rawKeyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, modifiers=2, key="a", code="KeyA", windowsVirtualKeyCode=65,
                commands=["selectAll"] if kind == "rawKeyDown" else [])
        self.call("Input.insertText", text=text)


def pipe():
    """Creates a pipe whose descriptors are above the numbers that Chromium's own pipe uses."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 16))
        os.close(end)
    return ends


def write_all(file, data):
    while data:
        data = data[os.write(file, data):]


def without_query(url):
    return url.split("#")[0].split("?")[0]


def sign_in(page, url, person, say):
    """Follows the pages from `url` to the broker's last one. Returns false if the person closes the browser."""
    answer = page.call("Page.navigate", url=url)
    if answer.get("errorText"):
        say(f"the page did not open: {answer['errorText']}")
        return False
    passwords = [person["password"]]
    if person.get("wrongPasswordFirst"):
        passwords.insert(0, "not " + person["password"])
    submitted = False
    mistypes = person.get("mistypesPIN", False)
    for _ in range(STEPS):
        view = page.next()
        if view["url"].startswith("chrome-error:"):
            say("the page did not open")
            return False
        if view["wish"]:
            if not person.get("pin"):
                say("no PIN is wanted")
                return True
            if view["refused"]:
                say("the page shows an error")
            for wish in range(2):
                page.type_into(page.look(wish)["wish"], person["pin"] + "7" * (wish and mistypes))
            mistypes = False
            say("PIN typed")
            page.click(page.look()["button"])
            submitted = True
            continue
        # The broker's own pages may also ask for a password; its last page does not.
        if view["url"].startswith("http://127.0.0.1:") and not view["password"] and (
                submitted or without_query(view["url"]) != without_query(url)):
            say("done")
            return True
        if view["username"] or view["password"]:
            if person.get("addressHas", "") not in view["url"]:
                say("the sign-in page has another address than expected")
                return False
            if person.get("closeInsteadOfSignIn"):
                say("closing instead of signing in")
                return False
            if view["refused"]:
                say("the page shows an error")
            if view["password"] and not passwords:
                say("refused; giving up")
                return False
            if view["username"] and view["username"]["filled"] != person["username"]:
                page.type_into(view["username"], person["username"])
                say("user name typed")
            if view["password"]:
                if "waitsFor" in person:
                    say("waiting")
                    open(person["waitsFor"], encoding="utf-8").close()
                page.type_into(view["password"], passwords.pop(0))
                say("password typed")
                if "saves" in person:
                    save(person["saves"])
            submitted = bool(view["password"])
        elif not view["button"]:
            continue  # a page that continues by itself
        button = page.look()["button"]
        if not button:
            say("no button to press")
            return False
        page.click(button)
        say("button pressed")
    say("too many pages")
    return False


def read_person(path):
    try:
        with open(path, encoding="utf-8") as file:
            person = json.load(file)
    except OSError as error:
        sys.exit(f"person.py: {path} cannot be read: {error.strerror}")
    except ValueError as error:
        sys.exit(f"person.py: {path} is not JSON in UTF-8: {type(error).__name__}")
    if not isinstance(person, dict):
        sys.exit(f"person.py: {path} is not a JSON object")
    known = {
        "username": str, "password": str, "pin": str, "mistypesPIN": bool, "wrongPasswordFirst": bool,
        "closeInsteadOfSignIn": bool, "saves": str, "starts": list, "waitsFor": str,
        "withoutBrowser": bool, "addressHas": str,
    }
    for key, value in person.items():
        if key not in known or not isinstance(value, known[key]):
            sys.exit(f"person.py: {path}: {key} is unknown or of a wrong type; known: {', '.join(known)}")
    for key in ("username", "password"):
        if key not in person:
            sys.exit(f"person.py: {path}: lacks {key}")
    return person


def save(text):
    """Saves a text where programs of the session save downloads and temporary files."""
    downloads = os.path.join(os.environ["HOME"], "Downloads")
    os.makedirs(downloads, exist_ok=True)
    for folder in (downloads, os.environ["TMPDIR"]):
        with open(os.path.join(folder, "notes.txt"), "w", encoding="utf-8") as file:
            file.write(text)


def meeting_point(profile):
    """The socket at which a later call with the same profile finds the first. It is abstract, so no file remains. In
    sandboxes, different profiles have the same path."""
    sandbox = os.stat("/proc/self/ns/pid").st_ino
    return f"\0baton-person:{sandbox}:" + os.path.realpath(profile)[-70:]


def hand_over(profile, url):
    """Hands the page to an earlier call that uses this profile. Returns false if there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as there:
        try:
            there.connect(meeting_point(profile))
        except ConnectionRefusedError:
            return False
        there.sendall(url.encode())
        there.recv(1)  # until the other has read it
        return True


def serve(new_page, listener, person_file, say, browser=None):
    """Opens the pages of later calls, until the person closes the browser. Raises `Gone` if the browser ends."""
    while True:
        ready = select.select([listener] + ([browser.replies] if browser else []), [], [])[0]
        if browser and browser.replies in ready:
            browser.drain()
        if listener in ready:
            with listener.accept()[0] as caller:
                url = caller.recv(4096).decode()
                caller.sendall(b".")
            if not sign_in(new_page(), url, read_person(person_file), say):
                return


def sit_at_forms(arguments, options, url, listener, say):
    """Acts as a person at pages without a browser."""
    sys.dont_write_bytecode = True
    import forms

    browser = forms.FormBrowser(options)
    try:
        if sign_in(forms.FormPage(browser), url, read_person(arguments.person), say):
            serve(lambda: forms.FormPage(browser), listener, arguments.person, say)
    except RuntimeError as error:
        say(f"giving up: {error}")


def sit_at_chromium(arguments, options, url, listener, say):
    """Acts as a person at a browser."""
    browser = Chromium(arguments.chromium, arguments.profile, options, subprocess.DEVNULL)

    def new_page():
        return Page(browser, browser.call("Target.createTarget", url="about:blank")["targetId"])

    try:
        pages = browser.call("Target.getTargets")["targetInfos"]
        target = next(page["targetId"] for page in pages if page["type"] == "page")
        if sign_in(Page(browser, target), url, read_person(arguments.person), say):
            serve(new_page, listener, arguments.person, say, browser)
        browser.call("Browser.close")
    except Gone:
        say("the browser ended")
    except (RuntimeError, TimeoutError) as error:
        say(f"giving up: {error}")
        browser.process.kill()
    browser.process.wait()


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False, usage=__doc__)
    parser.add_argument("--person", required=True)
    parser.add_argument("--profile", required=True)
    parser.add_argument("--log", default=os.devnull)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments, others = parser.parse_known_args()
    if not others or others[-1].startswith("-") or not all(other.startswith("--") for other in others[:-1]):
        sys.exit("person.py: give options as --name=value and one URL at the end")
    *options, url = others
    log = open(arguments.log, "a", encoding="utf-8", buffering=1)

    def say(text):
        log.write(f"person: {text}\n")

    try:
        person = read_person(arguments.person)
    except SystemExit as error:
        say(error.code)
        raise

    if hand_over(arguments.profile, url):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(meeting_point(arguments.profile))
        listener.listen()
        if "starts" in person:
            subprocess.Popen(person["starts"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        sit = sit_at_forms if person.get("withoutBrowser") else sit_at_chromium
        sit(arguments, options, url, listener, say)


if __name__ == "__main__":
    main()
