#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens addresses in a real Firefox that runs Baton's script for its own pages, and reports what its tabs show.

    firefox_addresses.py FOLDER

Runs in a mount namespace of its own (`unshare --mount`), where it may put files over /etc. FOLDER contains `baton.js`
(the preferences), `baton.cfg` (the script), a folder `open`, and `addresses.json`: a list, in which SITE is a site of this
program. Puts an archive into both folders. Writes `result.json`: for each address the address and the title of the document in its tab.
"""
import base64
import functools
import hashlib
import http.server
import json
import pathlib
import subprocess
import sys
import threading
import types
import zipfile

from signed_in import lay_over_etc

PATIENCE = 90  # seconds for Firefox
QUIET = 8  # seconds without a change of any page, which load side by side
# A page whose title names what its frames are.
FRAMES = """<!doctype html><title>none</title><script>
const shown = new Set();
onmessage = message => { shown.add(message.data); document.title = [...shown].sort().join(" "); };
const say = word => `<script>parent.postMessage("${word}", "*")</` + "script>";
const open = source => Object.assign(document.body.appendChild(document.createElement("iframe")), source);
onload = () => {
  open({ src: "data:text/html," + encodeURIComponent(say("data")) });
  open({ src: URL.createObjectURL(new Blob([say("blob")], { type: "text/html" })) });
  open({ src: "javascript:parent.postMessage('javascript', '*')" });
  open({ srcdoc: say("srcdoc") });
  new WebSocket(`ws://${location.host}/`).onopen = () => postMessage("ws", "*");
};
</script><body>"""
# What the browser does in addition: it opens each address as its address bar does.
OPENING = """
let hasBegun = false;
Services.obs.addObserver(window => {
  if (hasBegun) return;
  hasBegun = true;
  const triggeringPrincipal = Services.scriptSecurityManager.getSystemPrincipal();
  const tabs = ADDRESSES.map(address => {
    const tab = window.gBrowser.addTab("about:blank", { triggeringPrincipal });
    try {
      tab.linkedBrowser.loadURI(Services.io.newURI(address), { triggeringPrincipal });
    } catch {}
    return [address, tab.linkedBrowser];
  });
  let before = "", still = 0;
  const look = async () => {
    const result = {};
    for (const [address, browser] of tabs) {
      const shown = browser.browsingContext?.currentWindowGlobal;
      result[address] = [shown?.documentURI?.spec ?? "", shown?.documentTitle ?? ""];
    }
    const now = JSON.stringify(result);
    [before, still] = [now, now === before ? still + 1 : 0];
    if (still < QUIET) return window.setTimeout(look, 1000);
    await window.IOUtils.writeJSON(RESULT, result);
    Services.startup.quit(Ci.nsIAppStartup.eForceQuit);
  };
  look();
}, "browser-delayed-startup-finished");
"""


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        key = self.headers.get("Sec-WebSocket-Key")
        if key:
            digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            self.protocol_version = "HTTP/1.1"
            self.send_response(101)
            for name, value in [
                    ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                    ("Sec-WebSocket-Accept", base64.b64encode(digest).decode())]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.flush()
            self.rfile.read(1)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(FRAMES.encode())

    def log_message(self, *_):
        pass


def main():
    folder = pathlib.Path(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}"
    listed = json.loads((folder / "addresses.json").read_text(encoding="utf-8"))
    addresses = {address.replace("SITE", site): address for address in listed}
    further = functools.reduce(lambda text, pair: text.replace(*pair), [
        ("ADDRESSES", json.dumps(list(addresses))), ("RESULT", json.dumps(str(folder / "shown.json"))),
        ("QUIET", str(QUIET))], OPENING)
    lay_over_etc(types.SimpleNamespace(folder=folder), {
        "firefox/defaults/pref/baton.js": (folder / "baton.js").read_text(encoding="utf-8"),
        "firefox/baton.cfg": (folder / "baton.cfg").read_text(encoding="utf-8") + further})
    for name in ("archive.zip", "open/archive.zip"):
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr("secret.html", "<title>secret</title>")
    profile = folder / "profile"
    profile.mkdir()
    environment = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    with open(folder / "firefox.log", "wb") as log:
        subprocess.run(
            ["/usr/lib/firefox-esr/firefox-esr", "--headless", "--profile", profile], env=environment, check=True,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, timeout=PATIENCE)
    shown = json.loads((folder / "shown.json").read_text(encoding="utf-8"))
    result = {addresses[address]: [text.replace(site, "SITE") for text in texts] for address, texts in shown.items()}
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


main()
