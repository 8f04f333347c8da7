#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers at the home screen, in a real Chromium: by keyboard, by touch, in every language, at three sizes, in both themes.

    home.py FILE [PART…]

FILE is a JSON object: `address` of the home screen, `seat` (the file that names the person at the sign-in page), `people` (two
objects for that file), `names` (their names on the screen), `program` (the path of a file that the first tile's program
writes). Prints one JSON object: `faults`, one sentence each, and `milliseconds`, from each touch on Hand over to the next
screen that is ready. PART is one of `refusals`, `unsaved`, `by_keyboard`, `by_touch` and `by_choice`; without it, the last three
are played. `untried` counts what only root can try. If BATON_SCREENSHOTS names a folder, it gets a picture of each page and state.
"""
import http.client
import json
import os
import sys
import time
from urllib.parse import urlsplit

from pages import LANGUAGES, PATIENCE, Pages, with_chromium

# The button, as soon as it takes a touch.
READY = "#button[data-touch=signIn][aria-busy=false]:not([data-rest])"
SESSION = "#button[data-touch=handover][aria-busy=false]:not([data-rest])"
# The button on the screen for the next worker, even before it accepts a touch.
NEXT = "#button[data-touch=signIn]"
STRANGER = 64003  # a user who is not one of the device's users


class HomeScreen(Pages):
    def __init__(self, wanted, browser):
        super().__init__(browser, wanted["address"].rstrip("/"), "home")
        self.wanted, self.milliseconds, self.untried = wanted, [], 0

    def seat(self, number):
        with open(self.wanted["seat"], "w") as file:
            json.dump(self.wanted["people"][number], file)

    def by_keyboard(self):
        """A worker who uses no pointer: one key signs in, another key hands over."""
        self.seat(0)
        page = self.page(viewport={"width": 1280, "height": 800})
        page.goto(self.wanted["address"])
        page.wait_for_selector(READY, timeout=PATIENCE)
        page.keyboard.press("Tab")
        self.expect(page.evaluate("document.activeElement.id") == "button", "the first key reaches no button")
        self.shortcuts(page)
        page.locator("#button").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(SESSION, timeout=PATIENCE)
        page.wait_for_selector("#title:not(:empty)", timeout=PATIENCE)
        name = page.text_content("#title")
        self.expect(name == self.wanted["names"][0], f"the screen says {name}")
        self.judge(page, "session")
        self.languages(page, "session")
        page.locator("#button").focus()
        self.hand_over(page, lambda: page.keyboard.press("Enter"))
        self.expect(self.wanted["names"][0] not in page.content(), "the last worker's name is still on the page")
        lines = page.locator("#receipt-lines dt").count()
        self.expect(lines >= 4, f"the receipt has {lines} lines")
        self.judge(page, "ready")
        page.context.close()

    def shortcuts(self, page):
        """The page lets no shortcut and no menu reach the browser, except zoom."""
        page.evaluate("""() => {
          window.kept = [];
          for (const kind of ['keydown', 'contextmenu'])
            addEventListener(kind, event => { if (event.defaultPrevented) window.kept.push(event.key || kind); });
        }""")
        for keys in ["Control+n", "Control+t", "Control+w", "Alt+Home", "F11", "F12", "Control++"]:
            page.keyboard.press(keys)
        page.click("header", button="right")
        kept = [key for key in page.evaluate("window.kept") if key not in ["Control", "Alt"]]
        self.expect(kept == ["n", "t", "w", "Home", "F11", "F12", "contextmenu"], f"the page keeps {kept} from the browser")

    def hand_over(self, page, act):
        began = time.monotonic()
        act()
        page.wait_for_selector(NEXT, timeout=PATIENCE)
        self.milliseconds.append(round((time.monotonic() - began) * 1000))

    def by_touch(self):
        """A worker with gloves, in the dark: tiles, and two touches on Hand over."""
        self.seat(1)
        page = self.page(viewport={"width": 820, "height": 1180}, has_touch=True, color_scheme="dark")
        page.goto(self.wanted["address"])
        page.wait_for_selector(READY, timeout=PATIENCE)
        self.judge(page, "ready-dark")
        self.touch_twice(page)
        page.wait_for_selector(SESSION, timeout=PATIENCE)
        page.tap(".tile >> nth=1")
        page.wait_for_selector(".tile[data-problem=true] >> nth=0", timeout=PATIENCE)
        page.tap(".tile >> nth=0")
        page.wait_for_selector("#tiles li:first-child small:not(:empty)", timeout=PATIENCE)
        self.judge(page, "tiles-dark")
        while not os.path.exists(self.wanted["program"]):
            time.sleep(0.05)
        with open(self.wanted["program"]) as file:
            process = int(file.read())
        self.hand_over(page, lambda: self.touch_twice(page))
        deadline = time.monotonic() + 20
        while os.path.exists(f"/proc/{process}") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.expect(not os.path.exists(f"/proc/{process}"), "the last worker's program still runs")
        page.context.close()

    def touch_twice(self, page):
        page.tap("#button")
        # The click is sent whatever is on the screen by now, without waiting for the button.
        page.evaluate("document.getElementById('button').click()")

    def languages(self, page, name):
        """Every language at every size, in both themes, in the state that the device is in."""
        for theme in ["light", "dark"]:
            other = self.page(color_scheme=theme)
            for language in LANGUAGES:
                other.goto(f"{self.wanted['address']}?language={language}")
                other.wait_for_selector("#title:not(:empty)")
                self.sizes(other, f"{name}-{theme}", language)
                self.judge(other, f"{name}-{language}-{theme}")
            other.context.close()

    def by_choice(self):
        """The language that a person chooses is kept on this page."""
        page = self.page(viewport={"width": 820, "height": 1180})
        page.goto(self.wanted["address"])
        page.wait_for_selector(READY, timeout=PATIENCE)
        page.select_option("#language", "ar")
        page.wait_for_selector("html[lang=ar][dir=rtl]", timeout=PATIENCE)
        self.expect(page.text_content("#title") not in ["Ready", ""], "the title is not translated")
        self.languages(page, "ready")
        page.context.close()

    def unsaved(self):
        """A worker hands over while an app has unsaved work."""
        page = self.page(viewport={"width": 820, "height": 1180})
        page.goto(self.wanted["address"])
        page.wait_for_selector(SESSION, timeout=PATIENCE)
        page.click("#button")
        page.wait_for_selector("#text:text-is('Not saved yet: Ward notes')", timeout=PATIENCE)
        left = page.text_content("#countdowns")
        self.expect("left to save" in left and "unsaved work is lost" in left, f"the screen says {left}")
        self.expect(not page.is_visible("#button"), "the screen still has a button")
        self.judge(page, "unsaved")
        page.context.close()

    def refusals(self):
        """Requests that do not come from the page itself."""
        place = urlsplit(self.wanted["address"])
        own = f"http://{place.netloc}"
        page = {"X-Baton-Home": "1", "Origin": own}
        for sentence, method, path, headers, status in [
            ("the page", "GET", "/", {}, 200),
            ("another name of this address", "GET", "/view", {"Host": f"evil.test:{place.port}"}, 403),
            ("another site", "GET", "/view", {"Sec-Fetch-Site": "cross-site"}, 403),
            ("a form of another site", "POST", "/touch/handover", {"Origin": "http://evil.test"}, 403),
            ("a form without origin", "POST", "/touch/handover", {"X-Baton-Home": "1"}, 403),
            ("a request without the page's field", "POST", "/touch/handover", {"Origin": own}, 403),
            ("a script of another site", "POST", "/touch/handover", {**page, "Sec-Fetch-Site": "same-site"}, 403),
            ("an unknown button", "POST", "/touch/erase", page, 404),
            ("a tile that is not there", "POST", "/tiles/99", page, 404),
            ("a tile that is no number", "POST", "/tiles/x", page, 400),
            ("another method", "DELETE", "/view", page, 405),
        ]:
            connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
            connection.request(method, path, headers=headers)
            answer = connection.getresponse().status
            self.expect(answer == status, f"{sentence} is answered with {answer}, not with {status}")
            connection.close()
        if os.geteuid() == 0:
            answer = as_another_user(place)
            self.expect(answer == 0, f"another user is answered with {answer}, instead of being refused unread")
        else:
            self.untried += 1


def as_another_user(place):
    """The status of a request that a process of another user sends; 0 if the connection is closed without an answer."""
    reading, writing = os.pipe()
    if not (process := os.fork()):
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)
        answer = "-1"
        try:
            connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
            connection.request("GET", "/view")
            answer = str(connection.getresponse().status)
        except (http.client.RemoteDisconnected, ConnectionError):
            answer = "0"
        finally:
            os.write(writing, answer.encode())
            os._exit(0)
    os.waitpid(process, 0)
    os.close(writing)
    with open(reading) as file:
        return int(file.read() or -1)


def main():
    with open(sys.argv[1]) as file:
        wanted = json.load(file)
    parts = sys.argv[2:] or ["by_keyboard", "by_touch", "by_choice"]

    def walk(browser):
        home = HomeScreen(wanted, browser)
        home.run([getattr(home, part) for part in parts])
        return home

    home = with_chromium(walk)
    print(json.dumps({"faults": home.faults, "milliseconds": home.milliseconds, "untried": home.untried}))


main()
