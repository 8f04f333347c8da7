#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints those of the installed Chromium's and Firefox's own pages that escapes.json does not contain.

    .venv-foreign/bin/python3 Tests/Person/internal_pages.py

Chromium lists its pages on chrome://chrome-urls. Firefox has a component for each page about:NAME; their names are in
its library. Exit codes: 0 none is missing, 1 some are, or too few pages were found to believe the list.
"""
import json
import pathlib
import re
import sys

from playwright.sync_api import sync_playwright

DATA = json.loads((pathlib.Path(__file__).resolve().parent / "escapes.json").read_text(encoding="utf-8"))
CHROMIUM = "/usr/lib/chromium/chromium"
FIREFOX = pathlib.Path("/usr/lib/firefox-esr/libxul.so")
# Fewer pages mean that the browser lists them in another way than this program reads.
LEAST = 20
# The addresses on the page, whose parts are in shadow trees.
LISTED = """() => {
    const found = [], waiting = [document];
    while (waiting.length) for (const each of waiting.pop().querySelectorAll("*")) {
        if (each.tagName === "LI" || each.tagName === "A") found.push(each.textContent.trim());
        if (each.shadowRoot) waiting.push(each.shadowRoot);
    }
    return found;
}"""


def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto("chrome://chrome-urls")
        page.get_by_text("chrome://version", exact=True).first.wait_for()
        listed = page.evaluate(LISTED)
        browser.close()
    return {text for text in listed if re.fullmatch(r"chrome(-untrusted)?://\S+", text)}


def firefox():
    names = re.findall(rb"protocol/about;1\?what=([a-z0-9-]+)", FIREFOX.read_bytes())
    return {"about:" + name.decode() for name in names}


def missing(browser, pages):
    if len(pages) < LEAST:
        sys.exit(f"internal_pages.py: only {len(pages)} pages of {browser} were found, fewer than {LEAST}")
    listed = {each["address"] for group in DATA["attempts"][browser].values() for each in group if "address" in each}
    return sorted(pages - listed)


def main():
    found = missing("chromium", chromium()) + missing("firefox", firefox())
    print("\n".join(found))
    sys.exit(1 if found else 0)


main()
