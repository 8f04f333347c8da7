#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The broker's own pages in a real Chromium, in every language, at three sizes, in both themes.

    broker_pages.py FILE

FILE is a JSON object: `policy` (the pages' Content-Security-Policy), `files` (what the pages load: `type` and `content` by path)
and `pages` (`name`, `language`, `content`). Prints one JSON object: `faults`, one sentence each. If BATON_SCREENSHOTS names a
folder, it gets a picture of each page.
"""
import json
import sys
from urllib.parse import urlsplit

from pages import Pages, with_chromium

# Nothing listens at this address: the test answers every request itself.
ORIGIN = "http://127.0.0.1:1"


class BrokerPages(Pages):
    def __init__(self, wanted, browser):
        super().__init__(browser, ORIGIN, "broker")
        self.wanted, self.present = wanted, None
        # Chromium's advice for password managers. These devices have no password manager, and the page for a PIN
        # contains no name.
        self.ignored.append("Password forms should have (optionally hidden) username fields")

    def answer(self, route):
        """Answers as the broker does: the present page, and the files that pages load."""
        path = urlsplit(route.request.url).path
        file = self.wanted["files"].get(path)
        if file:
            route.fulfill(content_type=file["type"], body=file["content"])
        elif path == "/page":
            route.fulfill(
                content_type="text/html; charset=utf-8", body=self.present["content"],
                headers={"Content-Security-Policy": self.wanted["policy"]})
        else:
            self.expect(path == "/favicon.ico", f"{self.present['name']}: loads {path}")
            route.fulfill(status=404)

    def every_page(self):
        for theme in ["light", "dark"]:
            page = self.page(color_scheme=theme)
            page.route("**/*", self.answer)
            for self.present in self.wanted["pages"]:
                name, language = self.present["name"], self.present["language"]
                # The texts differ by language, the markup does not; the theme changes no size.
                if theme == "dark" and language not in ["en", "ar"]:
                    continue
                page.goto(f"{ORIGIN}/page")
                if theme == "light":
                    self.sizes(page, name, language)
                if language in ["en", "ar"]:
                    self.judge(page, f"{name}-{language}-{theme}")
            page.context.close()


def main():
    with open(sys.argv[1]) as file:
        wanted = json.load(file)

    def walk(browser):
        pages = BrokerPages(wanted, browser)
        pages.run([pages.every_page])
        return pages.faults

    print(json.dumps({"faults": with_chromium(walk)}))


main()
