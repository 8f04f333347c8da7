#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site that writes a line to FILE for each address that is opened.

    callback.py PORT FILE
"""
import http.server
import sys

port, file = int(sys.argv[1]), sys.argv[2]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(file, "a", encoding="utf-8") as lines:
            lines.write(self.path + "\n")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Here</title>")

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
