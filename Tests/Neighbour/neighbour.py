#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hostile process on a device's machine: tries what one Unix user can do to another's programs and prints the result.

    neighbour.py REQUEST

REQUEST is a JSON object:
    user      the numeric user to become first; becoming another user requires root
    pids      the process ids of the victims
    owners    the numeric user ids of the victims
    needles   regular expressions that must not match the argument list of any other process
    ports     loopback ports on which a victim listens
    addresses URLs on loopback to request as well
    sockets   paths of Unix sockets that must not serve this process
    folders   paths below which nothing may be read, written or listed
    names     paths in world-writable folders: their entries must not be taken from the victim

    watches   true: the process tries none of this; it prints "watching" and then takes each of the names whenever the
              name is free, until SIGTERM

Prints one JSON object: "got", a list of [attempt, what] for the attempts that succeeded but must fail; "tried", the
number of attempts of each kind, which shows the caller that there was something to try. The count for "folder" also
includes every folder that could be listed.
"""
import collections
import ctypes
import errno
import json
import os
import re
import signal
import socket
import sys
import time
import urllib.parse

PATIENCE = 3.0  # seconds to wait for an answer that must not come
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
IN_DELETE, IN_MOVED_FROM = 0x200, 0x40
SYS_PIDFD_OPEN, SYS_PIDFD_GETFD = 434, 438
SECRETIVE = ("environ", "mem", "maps", "smaps", "auxv", "stack", "syscall", "io", "fd", "fdinfo", "root", "cwd", "exe",
             "map_files", "pagemap", "personality", "wchan", "timers")

libc = ctypes.CDLL(None, use_errno=True)
got, tried = [], collections.Counter()


def attempt(name, what, act):
    """Calls `act`, which must fail. A result other than None is added to `got`."""
    tried[name] += 1
    try:
        result = act()
    except (OSError, EOFError):
        return
    if result is not None:
        got.append([name, str(what)])


def succeeds(*call):
    ctypes.set_errno(0)
    return True if libc.syscall(*call) >= 0 else None


def read_some(path):
    if os.path.isdir(path):
        return os.listdir(path) or None
    if os.path.islink(path):
        return os.readlink(path)
    with open(path, "rb") as file:
        # Some of these files of another user's process can be opened, but not read. That is harmless.
        return file.read(64) or None


def argument_lists(needles):
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                text = file.read().decode(errors="replace")
        except OSError:
            continue
        tried["argument list"] += 1
        for needle in needles:
            if re.search(needle, text):
                got.append(["argument list", f"{needle} in {text.split(chr(0))[0]}"])


def processes(pids):
    for pid in pids:
        for name in SECRETIVE:
            # Skipped: another user may read some of these, such as wchan.
            if name not in ("wchan", "personality", "timers"):
                attempt("/proc", f"{pid}/{name}", lambda: read_some(f"/proc/{pid}/{name}"))
        attempt("signal", pid, lambda: os.kill(pid, 0) or True)
        attempt("ptrace", pid, lambda: seize(pid))
        attempt("memory", pid, lambda: read_memory(pid))
        attempt("descriptors", pid, lambda: steal(pid))
        attempt("scheduling", pid, lambda: os.sched_setaffinity(pid, {0}) or True)
        attempt("scheduling", f"{pid} priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19) or True)


def seize(pid):
    if libc.ptrace(PTRACE_SEIZE, pid, None, None) != 0:
        return None
    libc.ptrace(PTRACE_DETACH, pid, None, None)
    return True


def read_memory(pid):
    buffer = ctypes.create_string_buffer(8)

    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    here, there = Vector(ctypes.addressof(buffer), 8), Vector(0x400000, 8)
    libc.process_vm_readv.argtypes = [
        ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
    ctypes.set_errno(0)
    if libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) >= 0:
        return True
    # Any other error, such as that of an unmapped address, means that the access was permitted.
    return None if ctypes.get_errno() in (errno.EPERM, errno.ESRCH) else True


def steal(pid):
    pidfd = libc.syscall(SYS_PIDFD_OPEN, pid, 0)
    if pidfd < 0:
        return None
    try:
        return any(succeeds(SYS_PIDFD_GETFD, pidfd, number, 0) for number in range(16)) or None
    finally:
        os.close(pidfd)


def ask(port, path):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as there:
        there.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        return there.recv(64) or None


def pages(ports, addresses):
    for port in ports:
        attempt("loopback port", port, lambda: ask(port, "/"))
    for address in addresses:
        parts = urllib.parse.urlsplit(address)
        attempt("loopback address", address, lambda: ask(parts.port, f"{parts.path}?{parts.query}"))


def unix_sockets(paths):
    frame = json.dumps({"status": {}}).encode()
    for path in paths:

        def knock():
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as there:
                there.settimeout(PATIENCE)
                there.connect(path)
                there.sendall(len(frame).to_bytes(4, "big") + frame)
                return there.recv(64) or None

        attempt("socket", path, knock)


def folders(paths, owners):
    for top in paths:
        for place, names, files in os.walk(top, onerror=lambda _: None):
            tried["folder"] += 1
            for name in files:
                path = os.path.join(place, name)
                attempt("file", path, lambda: os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK)) or True)
                attempt("file", f"{path} for writing", lambda: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK)) or True)
            attempt("folder", f"{place} for writing", lambda: make_file(place))
        tried["folder"] += 1
    for place in ("/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/dev/mqueue"):
        if not os.path.isdir(place):
            continue
        for name in os.listdir(place):
            path = os.path.join(place, name)
            try:
                status = os.lstat(path)
            except OSError:
                continue
            if status.st_uid in owners:
                attempt("temporary", path, lambda: read_some(path))
    for kind in ("shm", "msg", "sem"):
        with open(f"/proc/sysvipc/{kind}", encoding="ascii") as table:
            header, *rows = [line.split() for line in table]
            tried["system V"] += 1
            got.extend(["system V", kind] for row in rows if int(row[header.index("uid")]) in owners)


def take(path):
    """Removes or renames the entry at this path, or creates a folder there if there is none."""
    for act in (os.rmdir, os.unlink, lambda old: os.rename(old, old + "-taken")):
        try:
            act(path)
        except OSError:
            continue
        return True
    os.mkdir(path)
    return True


def names(paths):
    for path in paths:
        attempt("name", path, lambda: take(path))


class Stopped(Exception):
    pass


def stop(*_):
    raise Stopped


def watch(paths):
    """Creates a folder of each name as soon as its owner has removed the entry (inotify(7))."""
    signal.signal(signal.SIGTERM, stop)
    queue = libc.inotify_init1(0)
    for folder in {os.path.dirname(path) for path in paths}:
        libc.inotify_add_watch(queue, folder.encode(), IN_DELETE | IN_MOVED_FROM)
    taken = set()
    try:
        print("watching", flush=True)
        while True:
            for path in paths:
                try:
                    os.mkdir(path)
                except FileExistsError:
                    continue
                taken.add(path)
                tried["taken"] += 1
            os.read(queue, 1 << 16)
    except Stopped:
        for path in taken:
            os.rmdir(path)


def make_file(folder):
    path = os.path.join(folder, "neighbour")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)
    return True


def machine():
    attempt("clock", "set", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()) or True)


def main():
    request = json.loads(sys.argv[1])
    if os.geteuid() != request["user"]:
        os.setgroups([])
        os.setresgid(*[request["user"]] * 3)
        os.setresuid(*[request["user"]] * 3)
    if request["watches"]:
        watch(request["names"])
    else:
        argument_lists(request["needles"])
        processes(request["pids"])
        pages(request["ports"], request["addresses"])
        unix_sockets(request["sockets"])
        folders(request["folders"], request["owners"])
        names(request["names"])
        machine()
    print(json.dumps({"got": got, "tried": tried}))


if __name__ == "__main__":
    main()
