# SPDX-License-Identifier: Apache-2.0
"""Debian's oidc-agent, which keeps a person's tokens for the programs of a shell, against our server."""
import contextlib
import os
import pathlib
import re
import select
import socket
import subprocess
import tempfile
import urllib.parse

import requests

from baton_tests import Browser, answer_device_code, disabled, document, end_with_parent, facts, graph, run

SCOPES = "openid profile offline_access User.Read"
REDIRECT = "http://localhost:4242"


@contextlib.contextmanager
def agent(folder=None):
    """Runs an agent that has loaded no account, and yields the folder in which it keeps accounts."""
    folder = folder or pathlib.Path(tempfile.mkdtemp(dir=facts.folder))
    (folder / ".oidc-agent").mkdir(mode=0o700, exist_ok=True)
    path = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "agent"
    os.environ |= {"HOME": str(folder), "OIDC_SOCK": str(path), "OIDC_ENCRYPTION_PW": "of the account"}
    with open(folder / "agent.log", "w", encoding="utf-8") as log, subprocess.Popen(
        ["stdbuf", "-oL", "oidc-agent", "-d", "--no-webserver", "--no-scheme", "--no-autoreauthenticate", "-a", str(path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, preexec_fn=end_with_parent, text=True) as program:
        try:
            os.environ["OIDCD_PID"] = str(program.pid)
            while "Agent pid" not in (line := program.stdout.readline()):
                assert line, (folder / "agent.log").read_text()
            await_listener(program, path)
            yield folder
        finally:
            program.kill()


def await_listener(program, path):
    """Waits until the agent accepts connections. It prints its process number before it accepts any."""
    for _ in range(1000):
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(str(path)) == 0:
                return
        assert program.poll() is None
        select.select([], [], [], 0.01)
    raise AssertionError("oidc-agent does not listen")


def command(*words, works=True):
    """Runs one of the agent's commands to its end and returns its output."""
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    assert (done.returncode == 0) == works, (words[0], done.returncode, done.stdout)
    return done.stdout


def generate(*more, client=None, secret=""):
    """Starts the command that creates an account, and returns it while it runs."""
    return subprocess.Popen(
        ["oidc-gen", "--pw-env", "--confirm-default", "--prompt=none", "--no-url-call", "--no-webserver", "-m",
         f"--iss={facts.login}/{facts.tenant}/v2.0", f"--client-id={client or facts.client}", f"--client-secret={secret}",
         f"--scope={SCOPES}", f"--cp={facts.root}", f"--redirect-uri={REDIRECT}", *more, "wards"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=end_with_parent, text=True)


def shown(program, pattern):
    """Reads the output of a running command until it matches `pattern`, and returns the match."""
    said = ""
    while not (found := re.search(pattern, said, re.S)):
        line = program.stdout.readline()
        assert line, said
        said += line
    return found


def by_device_code(choice="yes", works=True, **client):
    """Creates an account by a code that a person types elsewhere. Returns what the command prints afterwards."""
    with generate("--flow=device", **client) as program:
        found = shown(program, r"visit:\s+(https://\S+).*?code: (\S+)")
        answer_device_code(found[1], found[2], choice=choice)
        said = program.stdout.read()
    assert (program.returncode == 0) == works, said
    return said


def by_code(browser, **client):
    """Signs in through the machine's browser, and returns the address to which it redirects the person."""
    with generate("--flow=code", "--no-scheme", **client) as program:
        found = shown(program, r"(https://\S+/authorize\?\S+)\s")
        program.kill()
    browser.open(found[1], REDIRECT)
    browser.submit(REDIRECT, username=facts.person("amara"), password=facts.password)
    returned = browser.submit(REDIRECT, choice="yes")  # oidc-agent asks for consent each time
    return f"{REDIRECT}?{urllib.parse.urlencode(returned)}"


def is_amaras(token):
    answer = graph(token)
    assert answer.json().get("userPrincipalName") == facts.person("amara"), answer.text


def case_device_code():
    """Tokens by a code typed elsewhere, new ones on request, a wrong audience, and a person who says no."""
    with agent() as folder:
        by_device_code()
        first = command("oidc-token", "wards").strip()
        is_amaras(first)
        assert command("oidc-token", "wards").strip() == first
        second = command("oidc-token", "--force-new", "wards").strip()
        assert second != first
        is_amaras(second)
        stray = requests.post(
            f"{facts.registration}/EnrollmentServer/device?api-version=1.0", json={},
            headers={"Authorization": f"Bearer {second}"})
        assert stray.status_code == 401, stray.text
    # A new agent can load the stored account, but only with the account's password.
    with agent(folder):
        os.environ["OIDC_ENCRYPTION_PW"] = "another"
        assert "number of tries" in command("oidc-add", "--pw-env", "wards", works=False)
        os.environ["OIDC_ENCRYPTION_PW"] = "of the account"
        command("oidc-add", "--pw-env", "wards")
        is_amaras(command("oidc-token", "wards").strip())
    with agent():
        said = by_device_code(choice="no", works=False)
        assert "AADSTS65004" in said, said


def case_code():
    """A sign-in through the machine's browser. A thief of the final address lacks the code verifier, which the agent has."""
    with agent():
        address = by_code(Browser())
        code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))["code"]
        stolen = requests.post(document()["token_endpoint"], data={
            "grant_type": "authorization_code", "client_id": facts.client, "code": code, "redirect_uri": REDIRECT,
            "code_verifier": "x" * 43})
        assert stolen.json()["error_codes"] == [501481], stolen.text
        command("oidc-gen", "--pw-env", "--confirm-default", "--prompt=none", f"--codeExchange={address}")
        is_amaras(command("oidc-token", "wards").strip())


def case_secret():
    """An application with a secret. With a wrong secret, oidc-agent gets nothing and reports why."""
    with agent():
        by_device_code(client=facts.web_client, secret=facts.secret)
        is_amaras(command("oidc-token", "wards").strip())
    with agent():
        with generate("--flow=device", client=facts.web_client, secret="wrong") as program:
            said = program.stdout.read()
        assert program.returncode != 0 and "AADSTS7000215" in said, said


def case_disabled():
    """The tokens of a disabled person stop working, and the agent reports it."""
    with agent():
        by_device_code()
        token = command("oidc-token", "wards").strip()
        with disabled(f"tenants/-/users/{facts.person('amara')}"):
            assert graph(token).status_code == 401
            said = command("oidc-token", "--force-new", "wards", works=False)
            assert "AADSTS" in said, said


if __name__ == "__main__":
    run(globals())
