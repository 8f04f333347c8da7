# SPDX-License-Identifier: Apache-2.0
"""An app's process: it sends the broker one request, changes its own identity, and prints the answer.

    peer.py SOCKET FRAMES [exec PROGRAM | move TARGET | leave [PROGRAM]]

FRAMES is a file with the bytes to send: a hello and one request. Without further arguments it connects, sends and
prints. With them it connects and sends first, and then
  exec   executes PROGRAM (a Python interpreter), which reads the answer;
  move   replaces TARGET with its own program file;
  leave  exits; a child of the exited process reads the answer. PROGRAM, if there is one, is then started under the number
         of the exited process.
Sends READY=1 to NOTIFY_SOCKET once this is done, so that a broker may start later.
"""
import os
import socket
import struct
import sys
import time


def ready():
    """Reports to its parent that it is ready."""
    path = os.environ.get("NOTIFY_SOCKET")
    if path:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.sendto(b"READY=1", "\0" + path[1:] if path.startswith("@") else path)


def answer(connection):
    """Prints the reply, or that there is none."""
    stream = connection.makefile("rb")
    while True:
        head = stream.read(4)
        if len(head) < 4:
            print("ended")
            return
        body = stream.read(struct.unpack(">I", head)[0])
        if b"sso_request_id" in body:
            print(body.decode())
            return


def reuse(number, program):
    """Starts `program` under a process number that has just become free. Returns the process, or exits."""
    for _ in range(1000):
        with open("/proc/sys/kernel/ns_last_pid", "w") as last:
            last.write(str(number - 1))
        child = os.fork()
        if child == 0:
            if os.getpid() != number:
                os._exit(1)
            os.execv(program, [program, "-c", "import time; time.sleep(600)"])
        if child == number:
            return child
        os.waitpid(child, 0)
    sys.exit("the process number was never free")


def main():
    if sys.argv[1] == "read":
        connection = socket.socket(fileno=int(sys.argv[2]))
        ready()
        return answer(connection)
    path, frames, *rest = sys.argv[1:]
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(path)
    with open(frames, "rb") as file:
        connection.sendall(file.read())
    if rest and rest[0] == "exec":
        connection.set_inheritable(True)
        os.execv(rest[1], [rest[1], sys.argv[0], "read", str(connection.fileno())])
    if rest and rest[0] == "move":
        os.rename(os.readlink("/proc/self/exe"), rest[1])
    if rest and rest[0] == "leave":
        parent = os.getpid()
        # A program that waits for this process also waits for its child: the pipe ends when both have exited.
        child = os.fork()
        if child:
            os._exit(0)
        while os.path.exists(f"/proc/{parent}"):
            time.sleep(0.001)
        other = reuse(parent, rest[1]) if rest[1:] else None
        ready()
        answer(connection)
        if other:
            os.kill(other, 9)
            os.waitpid(other, 0)
        return
    ready()
    answer(connection)


try:
    main()
except ConnectionError:
    # The broker has closed the connection without reading everything.
    print("ended")
sys.stdout.flush()
