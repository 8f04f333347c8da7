# SPDX-License-Identifier: Apache-2.0
"""An app's process that asks the broker one thing and prints the answer, after it became something else.

    peer.py SOCKET FRAMES [exec PROGRAM | move TARGET | leave PROGRAM]

FRAMES is a file with the bytes to send, a hello and one request. Without more words it connects, asks and prints. With
them it connects and asks first, and then
  exec   turns into PROGRAM (a Python interpreter), which reads the answer;
  move   puts its own program file in the place of TARGET;
  leave  ends, after which PROGRAM is started under its process number and a child of it reads the answer.
It says READY=1 to NOTIFY_SOCKET when it is what it wants to be, so that a broker may come later.
"""
import os
import socket
import struct
import sys
import time


def ready():
    """Tells whoever started this that it is in its place."""
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
    """Starts `program` under a process number that has just become free; gives the process, or ends."""
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
        # Whoever waits for this one waits for its child, too: the pipe ends when both have.
        child = os.fork()
        if child:
            os._exit(0)
        while os.path.exists(f"/proc/{parent}"):
            time.sleep(0.001)
        other = reuse(parent, rest[1])
        ready()
        answer(connection)
        os.kill(other, 9)
        os.waitpid(other, 0)
        return
    ready()
    answer(connection)


try:
    main()
except ConnectionError:
    # The broker has closed what it did not want to read.
    print("ended")
sys.stdout.flush()
