# SPDX-License-Identifier: Apache-2.0
"""A bare HTTPS client as a reference, and the requests that the broker makes, counted by the kernel."""
import http.client
import re
import socket
import ssl
import subprocess
import time


def bare_requests(local, count):
    """Requests the discovery document on one warm connection. Returns the milliseconds of each request."""
    trust = ssl.create_default_context(cafile=local.folder / "server/ca/root.pem")
    connection = http.client.HTTPSConnection("login.baton.test", local.facts["port"], context=trust, timeout=30)
    plain = socket.create_connection(("127.0.0.1", local.facts["port"]))
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sock = trust.wrap_socket(plain, server_hostname="login.baton.test")
    took = []
    for _ in range(count + 1):
        begin = time.perf_counter()
        connection.request("GET", f"/{local.facts['tenantID']}/v2.0/.well-known/openid-configuration")
        answer = connection.getresponse()
        answer.read()
        took.append((time.perf_counter() - begin) * 1000)
        if answer.status != 200:
            raise SystemExit(f"the discovery document: {answer.status}")
    connection.close()
    return took[1:]  # the first one warms up


def segments(local):
    """The number of segments with data that the session process has received, by connection. An answer is one
    segment: it is written at once, and the loopback interface takes 64 KiB."""
    process = local.session_process
    output = subprocess.run(["ss", "-tinpOH", f"dport = :{local.facts['port']}"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    found = {}
    for line in output.splitlines():
        if f"pid={process}," in line:
            words = line.split()
            counted = re.search(r"data_segs_in:(\d+)", line)
            found[words[3]] = int(counted[1]) if counted else 0
    return found
