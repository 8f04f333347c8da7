#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports how Debian's Chromium applies policies, for tests.

Standard input is a JSON object: {"policies": {…}, "visits": ["https://…", …], "look": true}. Chromium runs in its own
mount namespace, in which `/etc/chromium` contains only these policies. Every host name leads to a port where nothing
listens. Standard output is a JSON object:

    attached   whether a page could be inspected over the DevTools pipe
    policies   with "look": {name: {"status": …, "error": …, "level": …}} as chrome://policy shows them
    visits     {address: the browser's error code, such as net::ERR_BLOCKED_BY_ADMINISTRATOR}

Needs `unshare` and `mount`, and no privileges.
"""
import json
import os
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from person import Chromium, PATIENCE, write_all  # noqa: E402

ROWS = r"""
(() => {
  const rows = {};
  const walk = root => {
    for (const element of root.querySelectorAll('*')) {
      if (!element.shadowRoot) continue;
      if (element.tagName === 'POLICY-ROW') {
        const cells = {};
        for (const row of element.shadowRoot.querySelectorAll('.row')) {
          const name = row.querySelector('.name'), value = row.querySelector('.value');
          if (name && value) cells[name.textContent.trim()] = value.textContent.trim();
        }
        const texts = selector => (element.shadowRoot.querySelector(selector) || {textContent: ''}).textContent.trim();
        rows[texts('.policy .name')] = {
          status: texts('.policy .messages'), level: texts('.policy .level'), error: cells.Error || ''};
      }
      walk(element.shadowRoot);
    }
  };
  walk(document);
  return rows;
})()
"""


def attach(browser, log):
    """Attaches to a new page. Raises RuntimeError if Chromium refuses, or if it says that it serves no debugger."""
    command = {"id": 0, "method": "Target.createTarget", "params": {"url": "about:blank"}}
    write_all(browser.commands, json.dumps(command).encode() + b"\0")
    deadline = time.monotonic() + PATIENCE
    while not select.select([browser.replies], [], [], 0.1)[0]:
        with open(log, encoding="utf-8", errors="replace") as lines:
            if "remote debugging is disallowed" in lines.read():
                raise RuntimeError("Chromium serves no debugger")
        if time.monotonic() > deadline:
            raise TimeoutError("Chromium neither serves a debugger nor says that it does not")
    answer = browser.receive(deadline)
    while answer.get("id") != 0:
        answer = browser.receive(deadline)
    return session_of(browser, answer["result"]["targetId"])


def session_of(browser, target):
    return browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]


def new_page(browser):
    return session_of(browser, browser.call("Target.createTarget", url="about:blank")["targetId"])


def look(browser, session):
    """Returns the rows of chrome://policy that are set. Waits until the page shows any."""
    browser.call("Page.navigate", session, url="chrome://policy")
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            rows = browser.call("Runtime.evaluate", session, expression=ROWS, returnByValue=True)["result"]["value"]
        except (KeyError, RuntimeError):
            continue  # the page is just changing
        if rows:
            return {name: row for name, row in rows.items() if row["status"] != "Not set."}
    raise TimeoutError("chrome://policy shows no policy")


def main():
    order = json.load(sys.stdin)
    if "--inside" not in sys.argv:
        command = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, __file__, "--inside"]
        sys.exit(subprocess.run(command, input=json.dumps(order).encode(), check=False).returncode)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        managed = os.path.join(folder, "chromium", "policies", "managed")
        os.makedirs(managed)
        with open(os.path.join(managed, "baton.json"), "w", encoding="utf-8") as file:
            json.dump(order["policies"], file)
        subprocess.run(["mount", "--bind", os.path.join(folder, "chromium"), "/etc/chromium"], check=True)
        os.environ["HOME"] = folder
        profile = os.path.join(folder, "profile")
        with open(os.path.join(folder, "log"), "wb") as log:
            browser = Chromium("/usr/bin/chromium", profile, ["--host-resolver-rules=MAP * 127.0.0.1:1"], log)
        try:
            answer = {"attached": True, "visits": {}}
            try:
                session = attach(browser, log.name)
            except RuntimeError:
                answer["attached"] = False
            else:
                if order.get("look"):
                    answer["policies"] = look(browser, session)
                for address in order.get("visits", []):
                    # Each in a page of its own: Chromium ends if one of its own pages is navigated to while the error
                    # page of another is still loading.
                    session = new_page(browser)
                    answer["visits"][address] = browser.call("Page.navigate", session, url=address).get("errorText", "")
            json.dump(answer, sys.stdout)
        finally:
            browser.process.kill()
            browser.process.wait()


main()
