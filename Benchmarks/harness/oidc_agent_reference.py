#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debian's oidc-agent with an account at the server of an environment, as a reference.

As a module, this file starts an agent. As a program, it creates the account: it uses the helpers of oidc-agent's tests,
and runs in the virtual environment of the foreign clients.
"""
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import uuid

from environment import DOMAIN, end_with_parent

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / ".venv-foreign/bin/python3"
ACCOUNT = "wards"  # the name that by_device_code of the tests gives it
REDIRECT = "http://localhost:4242"


@contextlib.contextmanager
def oidc_agent(local, processor):
    """Runs an oidc-agent that holds a token of Amara, on one processor. Yields the variables of its clients."""
    if not PYTHON.exists():
        raise SystemExit(f"{PYTHON} is missing: run scripts/setup")
    folder = local.folder / "oidc-agent"
    (folder / ".oidc-agent").mkdir(parents=True, mode=0o700)
    client = str(uuid.uuid4())
    local.administer("POST", "/identity/tenants/-/clients", {
        "id": client, "displayName": "oidc-agent", "redirectURIs": ["http://localhost"]})
    root = local.folder / "server/ca/root.pem"
    amara = local.person("Amara")
    facts = {
        "tenant": local.facts["tenantID"], "domain": DOMAIN, "password": amara["password"], "client": client,
        "login": local.login, "root": str(root), "folder": str(folder), "name": amara["userName"].partition("@")[0]}
    (folder / "facts.json").write_text(json.dumps(facts))
    with contextlib.ExitStack() as running:
        def start(name, *words, environment):
            log = running.enter_context(open(folder / f"{name}.log", "w", encoding="utf-8"))
            program = subprocess.Popen(
                words, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=end_with_parent)
            running.callback(program.wait)
            running.callback(program.kill)
            return program

        port_file = folder / "port"
        start("proxy", sys.executable, ROOT / "Tests/ForeignClients/proxy.py", "--target", str(local.facts["port"]),
              "--port-file", port_file, "login.baton.test", environment=dict(os.environ))
        until(lambda: port_file.exists() and port_file.read_text(), "the proxy")
        path = folder / "agent.sock"
        variables = {
            "HOME": str(folder), "OIDC_SOCK": str(path), "OIDC_ENCRYPTION_PW": "of the account",
            "BATON_FACTS": str(folder / "facts.json")}
        proxy = f"http://127.0.0.1:{port_file.read_text()}"
        variables |= {name: proxy for name in ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY")}
        variables |= {name: str(root) for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")}
        environment = os.environ | variables | {"no_proxy": "", "NO_PROXY": "", "PYTHONDONTWRITEBYTECODE": "1"}
        # In the foreground, but without its debug log, which would slow it down.
        agent = start("agent", "taskset", "-c", str(processor), "oidc-agent", "--console", "--no-webserver",
                      "--no-scheme", "--no-autoreauthenticate", "-a", path, environment=environment)
        variables["OIDCD_PID"] = environment["OIDCD_PID"] = str(agent.pid)
        until(lambda: listens(path), "oidc-agent")
        made = subprocess.run([PYTHON, __file__], env=environment, capture_output=True, text=True, timeout=120)
        if made.returncode:
            raise SystemExit(f"oidc-agent gets no account: {made.stdout}{made.stderr}")
        yield variables


def listens(path):
    """Whether a program accepts connections at this path."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def until(holds, name):
    end = time.monotonic() + 30
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(f"{name} does not start")
        time.sleep(0.02)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "Tests/ForeignClients"))
    import baton_tests
    import oidc_agent as tests

    def answer(address, code, choice):
        baton_tests.answer_device_code(address, code, name=baton_tests.facts.name, choice=choice)

    tests.answer_device_code = answer
    tests.by_device_code()
    assert tests.command("oidc-token", ACCOUNT).strip()
