#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The home screen of a signed-in worker, in a real Chromium, while the MDM pushes its configuration and removes it.

    home_pushed.py FILE

FILE is a JSON object: `address` of the home screen; `push`, `replace` and `remove`, each a list of commands (lists of words)
after which the device has the profile, another version of it, and none. Prints one JSON object: `faults`, one sentence each.
If BATON_SCREENSHOTS names a folder, it gets a picture of each step.
"""
import json
import os
import subprocess
import sys

from playwright.sync_api import sync_playwright

PATIENCE = 60_000  # milliseconds
LOGO = "() => { const logo = document.getElementById('logo'); return !logo.hidden && logo.naturalWidth > 0; }"
COLOUR = "colour => getComputedStyle(document.getElementById('button')).backgroundColor === colour"


class Run:
    def __init__(self, wanted, page):
        self.wanted, self.page, self.faults = wanted, page, []
        page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))

    def expect(self, truth, sentence):
        if not truth:
            self.faults.append(sentence)

    def carry_out(self, step):
        for words in self.wanted[step]:
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=120)

    def shows(self, organisation, tiles, name):
        """Waits until the page shows this organisation, and compares the titles of the tiles."""
        self.page.wait_for_function(
            "text => document.getElementById('organisation').textContent === text", arg=organisation, timeout=PATIENCE)
        titles = self.page.locator(".tile:visible strong").all_text_contents()
        self.expect(titles == tiles, f"{name}: the tiles are {titles}")
        if pictures := os.environ.get("BATON_SCREENSHOTS"):
            self.page.screenshot(path=f"{pictures}/home-pushed-{name}.png", full_page=True)

    def run(self):
        page = self.page
        page.goto(self.wanted["address"])
        page.wait_for_selector("#button[data-touch=handover]", timeout=PATIENCE)
        self.shows("Local", ["Local tile"], "local")
        self.expect(page.is_hidden("#logo"), "there is a logo before any is pushed")
        page.evaluate("window.wasHere = true")
        self.carry_out("push")
        self.shows("Contoso", ["Ward round", "Intranet"], "pushed")
        page.wait_for_function(LOGO, timeout=PATIENCE)
        page.wait_for_function(COLOUR, arg="rgb(122, 31, 92)", timeout=PATIENCE)
        self.expect(page.locator(".tile img:visible").count() == 1, "the icon of the second tile is not there")
        self.carry_out("replace")
        page.wait_for_selector(".tile >> nth=2", timeout=PATIENCE)
        self.shows("Contoso", ["Ward round", "Intranet", "Pharmacy"], "replaced")
        self.carry_out("remove")
        self.shows("Local", ["Local tile"], "removed")
        page.wait_for_selector("#logo", state="hidden", timeout=PATIENCE)
        self.expect(page.evaluate("window.wasHere"), "the page was loaded again")


def main():
    with open(sys.argv[1]) as file:
        wanted = json.load(file)
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=options)
        run = Run(wanted, browser.new_page(viewport={"width": 1100, "height": 800}))
        try:
            run.run()
        except Exception as error:  # A page that does not get there is a fault like any other.
            run.faults.append(str(error).splitlines()[0])
        browser.close()
    print(json.dumps({"faults": run.faults}))


main()
