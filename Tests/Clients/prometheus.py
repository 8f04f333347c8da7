# SPDX-License-Identifier: Apache-2.0
"""Has Debian's Prometheus scrape servers and a device, and evaluates every query of a dashboard and of alert rules.

Usage: prometheus.py TEXTFILES DASHBOARD RULES FOLDER PORT PORT SERVER...

TEXTFILES is the folder that node_exporter reads, the ports are free ones for Prometheus and node_exporter, and each
SERVER is the address of a server's metrics. Prints one JSON object for each query: where it is from, its text, and how
many series it returned or why it failed. Of an alert's expression, only the part before the comparison is evaluated,
because a healthy system returns no series for the whole.

Prometheus scrapes through proxies in this program, so that the program knows when enough samples were taken.
"""
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import urllib.parse
import urllib.request

SCRAPES = 5
PATIENCE = 120


class Proxy(http.server.ThreadingHTTPServer):
    """Passes scrapes on to a target, and reports when a scrape begins after enough successful ones."""

    def __init__(self, address: str):
        self.address, self.served, self.enough = address, 0, threading.Event()
        super().__init__(("127.0.0.1", 0), Scrape)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Scrape(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        # The samples of a scrape are stored before the next scrape of the same target begins.
        if self.server.served >= SCRAPES:
            self.server.enough.set()
        try:
            with urllib.request.urlopen(f"http://{self.server.address}/metrics", timeout=10) as reply:
                body, kind = reply.read(), reply.headers["Content-Type"]
        except OSError as error:
            self.send_error(502, str(error))
            return
        self.server.served += 1
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def configuration(rules: str, device: int, servers: list) -> str:
    return f"""
global: {{scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 1s}}
rule_files: [{json.dumps(rules)}]
scrape_configs:
  - job_name: baton-server
    static_configs: [{{targets: {json.dumps([f"127.0.0.1:{server}" for server in servers])}}}]
  - job_name: baton-devices
    static_configs: [{{targets: ["127.0.0.1:{device}"]}}]
"""


def ask(port: int, path: str, **parameters) -> dict:
    query = urllib.parse.urlencode(parameters)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{path}?{query}", timeout=30) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return json.load(error)


def series(port: int, query: str) -> dict:
    answer = ask(port, "query", query=query)
    if answer["status"] != "success":
        return {"series": 0, "error": answer.get("error", "no error was given")}
    return {"series": len(answer["data"]["result"])}


def main() -> int:
    textfiles, dashboard, rules, folder, *ports = sys.argv[1:7]
    port, exporter_port = (int(text) for text in ports)
    exporter = subprocess.Popen(
        ["prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{exporter_port}", "--collector.disable-defaults",
         "--collector.textfile", f"--collector.textfile.directory={textfiles}"])
    device, *servers = (Proxy(address) for address in [f"127.0.0.1:{exporter_port}", *sys.argv[7:]])
    file = pathlib.Path(folder) / "prometheus.yml"
    file.write_text(configuration(rules, device.server_port, [server.server_port for server in servers]))
    prometheus = subprocess.Popen(
        ["prometheus", f"--config.file={file}", f"--storage.tsdb.path={folder}/data",
         f"--web.listen-address=127.0.0.1:{port}"])
    try:
        for proxy in [device, *servers]:
            if not proxy.enough.wait(PATIENCE):
                print(f"{proxy.address} was scraped {proxy.served} times", file=sys.stderr)
                return 1
        results = []
        for panel in json.loads(pathlib.Path(dashboard).read_text())["panels"]:
            for target in panel.get("targets", []):
                query = target["expr"]
                found = series(port, query.replace("$__rate_interval", "1m"))
                results.append({"from": "dashboard", "name": panel["title"], "query": query, **found})
        for group in ask(port, "rules", type="alert")["data"]["groups"]:
            for rule in group["rules"]:
                query = rule["query"]
                value = re.fullmatch(r"(.*) (?:==|!=|<|>|<=|>=) [0-9.e+-]+", query, re.S)
                found = series(port, value[1]) if value else {"series": 0, "error": "no comparison with a number"}
                results.append(
                    {"from": "rules", "name": rule["name"], "query": query, "health": rule["health"], **found})
        print("\n".join("RESULT " + json.dumps(result) for result in results), flush=True)
        return 0
    finally:
        for process in (prometheus, exporter):
            process.kill()
            process.wait()


sys.exit(main())
