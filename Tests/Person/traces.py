#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site that leaves in a browser everything that a site can leave, and reports what it finds there.

    traces.py PORT FILE

/notes?mark=TEXT reports what an earlier visit left, and leaves TEXT in a cookie, the site's storages, a service worker and the
history. A click on the page copies TEXT and downloads a file with it. The page's form sends what a person types. Each report is
one JSON line in FILE. The title of the page shows how far it is, and a person at the screen waits for it.
"""
import http.server
import json
import sys
import threading
import urllib.parse

port, file = int(sys.argv[1]), sys.argv[2]
lock = threading.Lock()
downloads = {}  # an event for each text, set once the file with it was sent
PATIENCE = 60.0  # seconds for a download to begin

NOTES = """<!doctype html><meta charset="utf-8"><title>Loading</title><style>html { height: 100% } input { position: fixed; inset: 40% 20% }</style>
<form action="/sent"><input name="note" autocomplete="on"></form><iframe name="files" hidden></iframe>
<script>
const mark = new URL(location).searchParams.get("mark");
const found = {cookie: document.cookie};
const done = request => new Promise((then, fail) => { request.onsuccess = () => then(request.result); request.onerror = fail; });
(async () => {
  found.local = localStorage.getItem("mark");
  found.session = sessionStorage.getItem("mark");
  found.databases = (await indexedDB.databases()).map(each => each.name);
  found.caches = await caches.keys();
  found.workers = (await navigator.serviceWorker.getRegistrations()).length;
  document.cookie = `mark=${mark}; max-age=86400`;
  localStorage.setItem("mark", mark);
  sessionStorage.setItem("mark", mark);
  const opening = indexedDB.open("notes");
  opening.onupgradeneeded = () => opening.result.createObjectStore("notes");
  const database = await done(opening);
  await done(database.transaction("notes", "readwrite").objectStore("notes").put(mark, "mark"));
  await (await caches.open("notes")).put("/cached", new Response(mark));
  await navigator.serviceWorker.register("/worker.js?mark=" + mark);
  await navigator.serviceWorker.ready;
  history.pushState(null, "", "?mark=" + mark + "&seen");
  await fetch("/report", {method: "POST", body: JSON.stringify({mark, found})});
  document.title = "Notes";
})();
document.documentElement.onclick = () => {
  const input = document.querySelector("input"), link = document.createElement("a");
  document.documentElement.onclick = null;
  input.value = mark;
  input.select();
  document.execCommand("copy");
  input.value = "";
  link.href = "/download?mark=" + mark;
  link.target = "files";
  link.click();
  // The next page would cancel a download that has not begun.
  fetch("/downloaded?mark=" + mark).then(answer => { if (answer.ok) document.title = "Copied"; });
};
</script>"""


def download(mark):
    return downloads.setdefault(mark, threading.Event())


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        mark = dict(urllib.parse.parse_qsl(url.query)).get("mark", "")
        if url.path == "/notes":
            self.answer("text/html", NOTES)
        elif url.path == "/worker.js":
            self.answer("text/javascript", f"// {mark}\nonfetch = () => {{}};")
        elif url.path == "/download":
            self.answer("application/octet-stream", mark, ("Content-Disposition", 'attachment; filename="plan.txt"'))
            download(mark).set()
        elif url.path == "/downloaded":
            if download(mark).wait(PATIENCE):
                self.answer("text/plain", "")
            else:
                self.send_error(504)
        elif url.path == "/sent":
            note = dict(urllib.parse.parse_qsl(url.query)).get("note", "")
            self.answer("text/html", f"<!doctype html><title>Sent</title><p>{note}")
        else:
            self.send_error(404)

    def do_POST(self):
        report = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with lock, open(file, "a", encoding="utf-8") as lines:
            lines.write(json.dumps(json.loads(report)) + "\n")
        self.answer("text/plain", "")

    def answer(self, kind, body, *headers):
        self.send_response(200)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body.encode()))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
