#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Offers extensions to a real Firefox that has Baton's policies and script, and reports which ones it has at the end.

    firefox_extension.py FOLDER

Runs in a mount namespace of its own (`unshare --mount`), where it may put files over /etc. FOLDER contains `baton.js`
(the preferences), `baton.cfg` (the script), `policies.json`, which installs `own.xpi`, and a folder `open`, from which
files may be opened. Makes that extension, with Baton's id. Once it is installed, opens the addresses of two others, one
with the same id and one with an id of its own, as the address bar and as a page do, and agrees to all that Firefox
asks. Writes `result.json`: the version of each extension, by its id.
"""
import http.server
import json
import pathlib
import subprocess
import sys
import threading
import types
import zipfile

from signed_in import lay_over_etc

PATIENCE = 120  # seconds for Firefox
TICKS = 4  # for Firefox to ask and to install, of two seconds
OWN, FOREIGN = "browser@baton.org", "foreign@example.org"
OFFERING = """
const { AddonManager: Addons } = ChromeUtils.importESModule("resource://gre/modules/AddonManager.sys.mjs");
const start = new Promise(resolve => Services.obs.addObserver(resolve, "browser-delayed-startup-finished"));
const installed = new Promise(resolve => Addons.addInstallListener({
  onInstallEnded(install, addon) { if (addon.id === OWN) resolve(); } }));
Promise.all([start, installed]).then(async ([window]) => {
  const system = Services.scriptSecurityManager.getSystemPrincipal();
  for (const address of ADDRESSES) {
    const url = Services.io.newURI(address);
    const page = Services.scriptSecurityManager.createContentPrincipal(url, {});
    for (const triggeringPrincipal of [system, page]) {
      const tab = window.gBrowser.addTab("about:blank", { triggeringPrincipal: system });
      window.gBrowser.selectedTab = tab;
      tab.linkedBrowser.loadURI(url, { triggeringPrincipal });
      // Firefox ignores an agreement in the first half second.
      for (let tick = 0; tick < TICKS; tick++) {
        await new Promise(resolve => window.setTimeout(resolve, 2000));
        const { panel } = window.PopupNotifications;
        for (const asked of panel.querySelectorAll("popupnotification")) if (panel.state === "open") asked.button.click();
      }
    }
  }
  const result = {};
  for (const addon of await Addons.getAddonsByTypes(["extension"])) result[addon.id] = addon.version;
  await window.IOUtils.writeJSON(RESULT, result);
  Services.startup.quit(Ci.nsIAppStartup.eForceQuit);
}).catch(error => { dump(`firefox_extension.py: ${error}\\n`); Services.startup.quit(Ci.nsIAppStartup.eForceQuit); });
"""


def extension(path, name, version):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({
            "manifest_version": 2, "name": "Baton", "version": version,
            "browser_specific_settings": {"gecko": {"id": name}}}))


class Site(http.server.BaseHTTPRequestHandler):
    folder = None

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/x-xpinstall")
        self.end_headers()
        self.wfile.write((self.folder / pathlib.Path(self.path).name).read_bytes())

    def log_message(self, *_):
        pass


def main():
    folder = pathlib.Path(sys.argv[1])
    extension(folder / "own.xpi", OWN, "1.0")
    extension(folder / "same.xpi", OWN, "99.0")
    extension(folder / "open/same.xpi", OWN, "99.0")
    extension(folder / "other.xpi", FOREIGN, "99.0")
    Site.folder = folder
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    offering = OFFERING
    for name, value in [
            ("OWN", OWN), ("RESULT", str(folder / "result.json")), ("TICKS", TICKS),
            ("ADDRESSES", [
                f"http://127.0.0.1:{server.server_port}/same.xpi", f"http://127.0.0.1:{server.server_port}/other.xpi",
                f"file://{folder}/open/same.xpi"])]:
        offering = offering.replace(name, json.dumps(value))
    lay_over_etc(types.SimpleNamespace(folder=folder), {
        "firefox/defaults/pref/baton.js": (folder / "baton.js").read_text(encoding="utf-8"),
        "firefox/baton.cfg": (folder / "baton.cfg").read_text(encoding="utf-8") + offering,
        "firefox/policies/policies.json": (folder / "policies.json").read_text(encoding="utf-8")})
    (folder / "profile").mkdir()
    environment = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    with open(folder / "firefox.log", "wb") as log:
        subprocess.run(
            ["/usr/lib/firefox-esr/firefox-esr", "--headless", "--profile", folder / "profile"], env=environment,
            check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, timeout=PATIENCE)


main()
