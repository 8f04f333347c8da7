#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers at the home screen, in a real Chromium: by keyboard, by touch, in every language, at three sizes, in both themes.

    home.py FILE

FILE is a JSON object: `address` of the home screen, `seat` (the file that names the person at the sign-in page), `people` (two
objects for that file), `names` (their names on the screen), `program` (the path of a file that the first tile's program
writes). Prints one JSON object: `faults`, one sentence each, and `milliseconds`, from each touch on Hand over to the next
screen that is ready. If BATON_SCREENSHOTS names a folder, it gets a picture of each page and state.
"""
import http.client
import json
import os
import sys
import time
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

LANGUAGES = ["en", "fr", "it", "pt", "pl", "ru", "de", "ar"]
SIZES = {"phone": (360, 640), "tablet": (820, 1180), "kiosk": (1920, 1080)}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# The button, as soon as it takes a touch.
READY = "#button[data-touch=signIn][aria-busy=false]:not([data-rest])"
SESSION = "#button[data-touch=handover][aria-busy=false]:not([data-rest])"
# The first sight of the screen for the next worker.
NEXT = "#button[data-touch=signIn]"
PATIENCE = 60_000  # milliseconds

# What a person could not read or reach: text that is cut off, a page that scrolls sideways, a target under 24 px.
LOOK = """() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth - root.clientWidth} px too wide`);
  for (const element of document.querySelectorAll('h1, h2, p, li, dt, dd, button, strong, small, label')) {
    if (element.offsetParent && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      faults.push(`cut off: ${element.id || element.textContent}`);
  }
  for (const element of document.querySelectorAll('button, select')) {
    const box = element.getBoundingClientRect();
    if (element.offsetParent && (box.width < 44 || box.height < 44)) faults.push(`too small: ${element.id}`);
  }
  return {faults, language: root.lang, direction: getComputedStyle(root).direction};
}"""


class Run:
    def __init__(self, wanted, browser):
        self.wanted, self.browser = wanted, browser
        self.faults, self.milliseconds = [], []
        self.pictures = os.environ.get("BATON_SCREENSHOTS")

    def expect(self, truth, sentence):
        if not truth:
            self.faults.append(sentence)

    def page(self, **options):
        context = self.browser.new_context(**options)
        page = context.new_page()
        own = self.wanted["address"].rstrip("/")
        page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        page.on("request", lambda request: self.expect(request.url.startswith(own), f"request to {request.url}"))
        return page

    def seat(self, number):
        with open(self.wanted["seat"], "w") as file:
            json.dump(self.wanted["people"][number], file)

    def shoot(self, page, name):
        if self.pictures:
            page.screenshot(path=f"{self.pictures}/home-{name}.png", full_page=True)

    def judge(self, page, name):
        """Checks what is on the screen against WCAG, and for text that does not fit."""
        seen = page.evaluate(LOOK)
        self.faults += [f"{name}: {fault}" for fault in seen["faults"]]
        report = Axe().run(page, options={"runOnly": RULES}).response
        self.faults += [f"{name}: {found['id']}: {found['nodes'][0]['html']}" for found in report["violations"]]
        self.shoot(page, name)

    def by_keyboard(self):
        """A worker who uses no pointer: one key signs in, another one hands over."""
        self.seat(0)
        page = self.page(viewport={"width": 1280, "height": 800})
        page.goto(self.wanted["address"])
        page.wait_for_selector(READY, timeout=PATIENCE)
        page.keyboard.press("Tab")
        self.expect(page.evaluate("document.activeElement.id") == "button", "the first key reaches no button")
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
        # Whatever is on the screen by now, and without waiting for the button to be there again.
        page.evaluate("document.getElementById('button').click()")

    def languages(self, page, name):
        """Every language at every size, in both themes, in the state that the device is in."""
        for theme in ["light", "dark"]:
            other = self.page(color_scheme=theme)
            for language in LANGUAGES:
                other.goto(f"{self.wanted['address']}?language={language}")
                other.wait_for_selector("#title:not(:empty)")
                for size, (width, height) in SIZES.items():
                    other.set_viewport_size({"width": width, "height": height})
                    seen = other.evaluate(LOOK)
                    place = f"{name} {language} {size} {theme}"
                    self.faults += [f"{place}: {fault}" for fault in seen["faults"]]
                    self.expect(seen["language"] == language, f"{place}: written in {seen['language']}")
                    direction = "rtl" if language == "ar" else "ltr"
                    self.expect(seen["direction"] == direction, f"{place}: {seen['direction']}")
                    self.shoot(other, f"{name}-{language}-{size}-{theme}")
                self.judge(other, f"{name}-{language}-{theme}")
            other.context.close()

    def by_choice(self):
        """The language that a person chooses holds on this page."""
        page = self.page(viewport={"width": 820, "height": 1180})
        page.goto(self.wanted["address"])
        page.wait_for_selector(READY, timeout=PATIENCE)
        page.select_option("#language", "ar")
        page.wait_for_selector("html[lang=ar][dir=rtl]", timeout=PATIENCE)
        self.expect(page.text_content("#title") not in ["Ready", ""], "the title is not translated")
        self.languages(page, "ready")
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


def main():
    with open(sys.argv[1]) as file:
        wanted = json.load(file)
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        run = Run(wanted, playwright.chromium.launch(executable_path="/usr/bin/chromium", args=options))
        for part in [run.refusals, run.by_keyboard, run.by_touch, run.by_choice]:
            try:
                part()
            except Exception as error:  # A page that does not get there is a fault like any other.
                run.faults.append(f"{part.__name__}: {str(error).splitlines()[0]}")
        run.browser.close()
    print(json.dumps({"faults": run.faults, "milliseconds": run.milliseconds}))


main()
