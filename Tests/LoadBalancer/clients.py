#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Eight clients that send requests without a pause, half of them on new connections and half on kept ones.

    clients.py PORT HOST PATH ROOTS.pem NODE NODE

Each NODE is the port of a node. When READY=1 is sent, each node has two of the kept connections. Sends READY=1
(sd_notify) when each client has had 25 answers, and prints a line after every 100 answers. At SIGTERM, or at the first
failed request, stops and prints one line of JSON: the number of answers, the failures, how many answers came from each
node (the port in the answer), and how often a server closed a kept connection. A request is sent once; a client that
must not use its connection any more (`Connection: close`) opens a new one.
"""
import collections
import http.client
import json
import os
import re
import signal
import socket
import ssl
import sys
import threading

port, host, path, roots, wanted = int(sys.argv[1]), *sys.argv[2:5], sys.argv[5:7]
tls = ssl.create_default_context(cafile=roots)
stop, lock = threading.Event(), threading.Lock()
answers, closed, nodes, failures = [0] * 8, [0] * 8, collections.Counter(), []


def connected():
    connection = http.client.HTTPSConnection(host, port, timeout=60)
    connection.sock = tls.wrap_socket(socket.create_connection(("127.0.0.1", port), 60), server_hostname=host)
    return connection


def client(number):
    connection = None
    keeps = number % 2 == 0
    # How many more times this client may reconnect to reach its node: HAProxy chooses the node with fewer connections.
    tries = 500 if keeps else 0
    try:
        while not stop.is_set():
            connection = connection or connected()
            connection.request("GET", path, headers={} if keeps else {"Connection": "close"})
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != 200:
                raise http.client.HTTPException(f"status {answer.status}")
            node = re.search(r"https://[^/:]*:(\d+)", text)[1]
            if tries > 0 and node != wanted[number // 2 % 2]:
                tries -= 1
                if tries == 0:
                    raise http.client.HTTPException(f"no connection leads to node {wanted[number // 2 % 2]}")
                connection.close()
                connection = None
                continue
            tries = 0
            if answer.will_close or not keeps:
                closed[number] += keeps
                connection.close()
                connection = None
            note(number, node)
    except (OSError, http.client.HTTPException, TypeError) as error:
        with lock:
            failures.append(f"client {number}: {type(error).__name__} {error}")
        stop.set()


def note(number, node):
    with lock:
        answers[number] += 1
        nodes[node] += 1
        if sum(answers) % 100 == 0:
            print("answers", sum(answers), flush=True)
        if answers[number] == 25 and min(answers) >= 25:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notice:
                notice.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])


signal.signal(signal.SIGTERM, lambda *_: stop.set())
threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"answers": sum(answers), "failures": failures, "nodes": nodes, "closed": sum(closed)}), flush=True)
