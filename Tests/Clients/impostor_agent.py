#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program of the session's user that poses as baton-agent and never closes a browser.

    impostor_agent.py SOCKET AGENT_JSON FOLDER marked|unmarked VERSION

Sends hello, with VERSION as the version of the messages, to batond's SOCKET and opens browsers as AGENT_JSON describes:
"marked" with the mark and the profile of the real agent; "unmarked" without the mark, in FOLDER, from a parent process
that has ended. Answers every order to close with "closed". Prints "browser PID" for each browser that it opens and
"closed" for each order to close. When the broker ends the connection, prints "cut off" and exits.
"""
import json
import os
import secrets
import socket
import struct
import subprocess
import sys

SOCKET, CONFIGURATION, FOLDER, KIND, VERSION = sys.argv[1:6]
PATIENCE = 120  # seconds to wait for the next order


def receive(link):
    head = link.recv(4, socket.MSG_WAITALL)
    if len(head) < 4:
        return None
    return json.loads(link.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL))


def send(link, message):
    body = json.dumps(message).encode()
    link.sendall(len(body).to_bytes(4, "big") + body)


def start(command, environment):
    """Starts a program and returns its process id. If KIND is "unmarked", its parent process has ended by then."""
    if KIND == "marked":
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True).pid
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        pid = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True).pid
        os.write(writer, str(pid).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return int(os.read(reader, 32))


def temporary_folder(record):
    """Returns the path of the temporary folder, and records it as the real agent does.

    The path is short because Chromium creates a socket in the folder.
    """
    if not os.path.lexists(record):
        os.symlink("/tmp/baton-" + secrets.token_hex(16), record)
    return os.readlink(record)


def open_browser(epoch, url):
    with open(CONFIGURATION, encoding="utf-8") as file:
        browser = json.load(file)["browser"]
    folder = os.path.join(os.path.realpath(browser["profiles"]), epoch) if KIND == "marked" else FOLDER
    profile, home = os.path.join(folder, "browser"), os.path.join(folder, "home")
    temporary = temporary_folder(folder + ".temporary") if KIND == "marked" else os.path.join(folder, "t")
    for place in [profile, home, temporary]:
        os.makedirs(place, 0o700, exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": temporary, "XDG_RUNTIME_DIR": temporary}
    # BATON_IMPOSTOR lets the test find the process and end it.
    environment["BATON_BROWSER_PROFILE" if KIND == "marked" else "BATON_IMPOSTOR"] = folder
    command = [word.replace("{profile}", profile).replace("{url}", url) for word in browser["command"]]
    print("browser", start(command, environment), flush=True)


def main():
    link = socket.socket(socket.AF_UNIX)
    link.connect(SOCKET)
    # If the broker neither ends the connection nor sends an order, this program fails after this time.
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", PATIENCE, 0))
    send(link, {"hello": {"version": int(VERSION)}})
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
        notice.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
    while (order := receive(link)) is not None:
        if "open" in order:
            open_browser(order["open"]["epoch"], order["open"]["url"])
            send(link, {"opened": {"id": order["open"]["id"]}})
        if "close" in order:
            send(link, {"closed": {"epoch": order["close"]["epoch"]}})
            print("closed", flush=True)
    print("cut off", flush=True)


main()
