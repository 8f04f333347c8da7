#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person (DISPLAY) who wants to keep a second window of the sign-in window, and the pages that both windows show.

    held_window.py PORT    serves the pages at 127.0.0.1, prints a line, opens a second window whose page asks to stay, closes
                           the window *Sign in*, answers *stay* to every question, and waits for a screen without windows
"""
import http.server
import sys
import threading
import time

from close_window import ask_to_close, press
from windows import PATIENCE, act, click_middle, find, search, tool

SIGN_IN = "^Sign in$"
HELD = "^Held"
TOUCHED = "^Held, touched"
PAGES = {
    "/sign-in": "<title>Sign in</title><p>A page",
    "/held": """<title>Held</title><p>Another page<script>
        addEventListener("beforeunload", event => event.preventDefault())
        addEventListener("click", () => document.title = "Held, touched")
        </script>""",
}


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        content = PAGES.get(self.path, "").encode()
        self.send_response(200 if content else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def go(address):
    """Types an address in the second window until its page is there."""
    for _ in range(10):
        for window in search("Chromium$"):
            tool("windowfocus", "--sync", window, "key", "ctrl+l")
            tool("type", address)
            tool("key", "Return")
        if find(HELD, 3):
            return
    sys.exit("the second window does not show its page")


def touch():
    """Clicks in the second window's page until the page notices it: only a page that was touched may ask to stay."""
    deadline = time.monotonic() + PATIENCE
    while not find(TOUCHED, 3):
        if time.monotonic() > deadline:
            sys.exit("the page does not notice a click")
        act(HELD, click_middle)


def stay():
    """Answers a question of the second window, if there is one."""
    for window in search("."):
        tool("windowfocus", window, "key", "Escape")


def main():
    port = int(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)
    press(SIGN_IN, "ctrl+n")
    go(f"127.0.0.1:{port}/held")
    touch()
    # The page really asks: as long as the other window does not end, the person can keep this one.
    ask_to_close(find(TOUCHED))
    time.sleep(1)
    stay()
    if not find(TOUCHED, 3):
        sys.exit("the page does not ask")
    ask_to_close(find(SIGN_IN))
    deadline = time.monotonic() + PATIENCE / 2
    while search("."):
        if time.monotonic() > deadline:
            sys.exit("a window stays")
        try:
            stay()
        except Exception:  # the window has closed
            pass
        time.sleep(0.1)


main()
