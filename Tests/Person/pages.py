#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the pages check on every page: WCAG by axe, text that does not fit, languages, and requests elsewhere."""
import json
import os

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

LANGUAGES = ["en", "fr", "it", "pt", "pl", "ru", "de", "ar"]
SIZES = {"phone": (360, 640), "tablet": (820, 1180), "kiosk": (1920, 1080)}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PATIENCE = 60_000  # milliseconds

# What a person could not read or reach: text that is cut off, a page that scrolls sideways, a target under 44 px.
LOOK = """() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth - root.clientWidth} px too wide`);
  for (const element of document.querySelectorAll('h1, h2, p, li, dt, dd, button, strong, small, label, summary')) {
    if (element.offsetParent && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      faults.push(`cut off: ${element.id || element.textContent}`);
  }
  for (const element of document.querySelectorAll('main button, footer button, select, summary, input:not([type=hidden])')) {
    const box = element.getBoundingClientRect();
    if (element.offsetParent && (box.width < 44 || box.height < 44))
      faults.push(`too small: ${element.id || element.textContent}`);
  }
  return {faults, language: root.lang, direction: getComputedStyle(root).direction};
}"""


class Pages:
    """The pages of one server in a browser, and the faults that were seen on them, one sentence each.

    `own` is the beginning of every address that the pages may load; `allowed` has further ones. Messages of the browser
    with one of the texts in `ignored` are not faults. If BATON_SCREENSHOTS names a folder, it gets pictures whose names
    begin with `name`.
    """

    def __init__(self, browser, own, name):
        self.browser, self.name = browser, name
        # After a session the home screen's program starts anew in its process, and its page asks again.
        self.allowed, self.faults = [own], []
        self.ignored = ["net::ERR_CONNECTION_REFUSED", "net::ERR_EMPTY_RESPONSE"]
        self.pictures = os.environ.get("BATON_SCREENSHOTS")

    def expect(self, truth, sentence):
        if not truth:
            self.faults.append(sentence)

    def page(self, **options):
        page = self.browser.new_context(**options).new_page()
        page.on("console", lambda message: self.expect(
            any(text in message.text for text in self.ignored), f"console: {message.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        page.on("request", lambda request: self.expect(
            request.url.startswith(tuple(self.allowed)), f"request to {request.url}"))
        return page

    def shoot(self, page, name):
        if self.pictures:
            page.screenshot(path=f"{self.pictures}/{self.name}-{name}.png", full_page=True)

    def look(self, page, place, language=None):
        """Checks that the text fits, and that the page is written in the language."""
        seen = page.evaluate(LOOK)
        self.faults += [f"{place}: {fault}" for fault in seen["faults"]]
        if language:
            self.expect(seen["language"] == language, f"{place}: written in {seen['language']}")
            direction = "rtl" if language == "ar" else "ltr"
            self.expect(seen["direction"] == direction, f"{place}: {seen['direction']}")

    def judge(self, page, name):
        """Checks what is on the screen against WCAG, and for text that does not fit."""
        self.look(page, name)
        report = Axe().run(page, options={"runOnly": RULES}).response
        self.faults += [f"{name}: {found['id']}: {found['nodes'][0]['html']}" for found in report["violations"]]
        self.shoot(page, name)

    def sizes(self, page, name, language):
        """Looks at a page at every size."""
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            self.look(page, f"{name} {language} {size}", language)
            self.shoot(page, f"{name}-{language}-{size}")

    def run(self, parts):
        for part in parts:
            try:
                part()
            except Exception as error:  # A page that does not get there is a fault like any other.
                self.faults.append(f"{part.__name__}: {str(error).splitlines()[0]}")


def with_chromium(body, options=()):
    """Calls `body` with a browser, and returns its result."""
    own = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=own + list(options))
        try:
            return body(browser)
        finally:
            browser.close()
