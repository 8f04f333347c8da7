#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker's browser in tests: Debian's Chromium, or Firefox, on the screen DISPLAY. The broker's own pages go to
person.py instead.

    browser.py --person FILE --log FILE --profile FOLDER [--firefox] [--instead=PROGRAM] [--ANY-CHROMIUM-OPTION=…]… URL

URL is the address of the agent's start page, which contains the address that it redirects to. Chromium's policies let
no program inspect its pages, so a test cannot type a password there.
With --instead, PROGRAM takes the place of the browser for the worker's pages.
"""
import json
import os
import sys
import urllib.parse

*options, url = sys.argv[1:]
with open(urllib.parse.unquote(url.removeprefix("file://")), encoding="utf-8") as page:
    is_sign_in = "url=http://127.0.0.1:" in page.read()
if is_sign_in:
    program = os.path.join(os.path.dirname(__file__), "person.py")
    os.execv(sys.executable, [sys.executable, program, *options, url])
for option in options:
    if option.startswith("--instead="):
        program = option.removeprefix("--instead=")
        os.execv(program, [program])
values = {name: options.pop(options.index(name) + 1) for name in ("--person", "--log", "--profile")}
# Firefox would show each download in a panel, which takes the keyboard: the next Return opens the file.
FIREFOX = {"browser.download.alwaysOpenPanel": False, "browser.download.panel.shown": True}

if "--firefox" in options:
    profile = values["--profile"] + "/firefox"
    os.makedirs(profile, exist_ok=True)
    with open(profile + "/user.js", "w", encoding="utf-8") as preferences:
        preferences.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in FIREFOX.items())
    firefox = "/usr/lib/firefox-esr/firefox-esr"
    os.execv(firefox, [firefox, "--profile", profile, url])
arguments = [option for option in options if option not in values]
chromium = "/usr/lib/chromium/chromium"
os.execv(chromium, [
    chromium, f"--user-data-dir={values['--profile']}/chromium", "--no-first-run", "--disable-gpu",
    *arguments, url])
