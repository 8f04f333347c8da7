#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker's browser in tests: Debian's Chromium, or Firefox, on the screen DISPLAY.

    browser.py --profile FOLDER [--firefox] [--instead=PROGRAM] [--ANY-CHROMIUM-OPTION=…]… URL

With --instead, PROGRAM takes the place of the browser.
"""
import json
import os
import sys

*options, url = sys.argv[1:]
for option in options:
    if option.startswith("--instead="):
        program = option.removeprefix("--instead=")
        os.execv(program, [program])
profile = options.pop(options.index("--profile") + 1)
# Firefox would show each download in a panel, which takes the keyboard: the next Return opens the file.
FIREFOX = {"browser.download.alwaysOpenPanel": False, "browser.download.panel.shown": True}

if "--firefox" in options:
    with open(profile + "/user.js", "w", encoding="utf-8") as preferences:
        preferences.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in FIREFOX.items())
    firefox = "/usr/lib/firefox-esr/firefox-esr"
    os.execv(firefox, [firefox, "--profile", profile, url])
arguments = [option for option in options if option != "--profile"]
chromium = "/usr/lib/chromium/chromium"
os.execv(chromium, [
    chromium, f"--user-data-dir={profile}/chromium", "--no-first-run", "--disable-gpu",
    *arguments, url])
