#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site that records which addresses are opened, one per line.

    callback.py PORT FILE

/speed?runs=N&address=URL loads /bare and URL by turns, N times each; URL must lead back to this site. Afterwards the site
records /done?times=…, with the milliseconds of each load.
"""
import http.server
import sys

port, file = int(sys.argv[1]), sys.argv[2]
PAGE = b"""<!doctype html><title>Here</title><script>
const next = () => {
  const plan = JSON.parse(sessionStorage.plan);
  sessionStorage.begun = Date.now();
  setTimeout(() => location = plan.times.length % 2 ? plan.address : "/bare?" + plan.times.length);
};
if (location.pathname === "/speed") {
  const query = new URL(location).searchParams;
  sessionStorage.plan = JSON.stringify({runs: query.get("runs"), address: query.get("address"), times: []});
  next();
} else if (sessionStorage.plan) {
  const plan = JSON.parse(sessionStorage.plan);
  plan.times.push(Date.now() - sessionStorage.begun);
  sessionStorage.plan = JSON.stringify(plan);
  if (plan.times.length < 2 * plan.runs) next();
  else { sessionStorage.clear(); fetch("/done?times=" + plan.times.join("-")); }
}
</script>"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(file, "a", encoding="utf-8") as lines:
            lines.write(self.path + "\n")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
