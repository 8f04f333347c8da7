# SPDX-License-Identifier: Apache-2.0
"""What the programs of a window can do and have done: processes, ports, files and folders."""
import glob
import os
import tempfile


def descendants(process):
    """The descendants of a process."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as stat:
                children.setdefault(int(stat.read().rpartition(")")[2].split()[1]), []).append(int(name))
        except OSError:
            pass  # it has ended
    found, waiting = [], [process]
    while waiting:
        of_one = children.get(waiting.pop(), [])
        found += of_one
        waiting += of_one
    return found


def ports(processes):
    """The ports on which one of the processes listens."""
    listening = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="utf-8") as lines:
            for line in list(lines)[1:]:
                fields = line.split()
                if fields[3] == "0A":
                    listening[f"socket:[{fields[9]}]"] = int(fields[1].rpartition(":")[2], 16)
    found = set()
    for process in processes:
        try:
            files = [os.readlink(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd")]
        except OSError:
            continue  # it has ended
        found |= {listening[file] for file in files if file in listening}
    return sorted(found)


def split(processes):
    """The processes in another mount namespace than this process, and the processes in the same namespace."""
    inside, outside = [], []
    for process in processes:
        try:
            is_own = os.readlink(f"/proc/{process}/ns/mnt") == os.readlink("/proc/self/ns/mnt")
            (outside if is_own else inside).append(process)
        except OSError:
            pass  # it has ended
    return inside, outside


def writable(processes):
    """The mount points to which one of the processes could write, except the kernel's own file systems."""
    found = set()
    for process in processes:
        try:
            with open(f"/proc/{process}/mountinfo", encoding="utf-8") as mounts:
                lines = [line.split() for line in mounts]
        except OSError:
            continue  # it has ended
        for fields in lines:
            kind = fields[fields.index("-") + 1]
            if "rw" in fields[5].split(",") and kind not in ("proc", "devpts", "devtmpfs", "mqueue"):
                found.add("/run/user" if fields[4].startswith("/run/user/") else fields[4])
    return sorted(found)


def files(name, processes):
    """Where a file of this name lies."""
    places = [os.environ.get("HOME", "/root"), tempfile.gettempdir(), "/var/tmp", "/dev/shm"]
    found = {path for place in places for depth in ("", "*/", "*/*/") for path in glob.glob(f"{place}/{depth}{name}")}
    # Each window has its own folders, which all of its processes share.
    seen = set()
    for process in processes:
        for place in ("/home", "/tmp", "/run", "/dev/shm"):
            root = f"/proc/{process}/root{place}"
            try:
                state = os.stat(root)
            except OSError:
                continue  # it has ended
            if (state.st_dev, state.st_ino) in seen:
                continue
            seen.add((state.st_dev, state.st_ino))
            for folder, _, names in os.walk(root):
                if name in names:
                    found.add("a window's " + folder.split("/root", 1)[1])
    return sorted(found)


def programs(processes):
    """The programs of the processes that still run, as the paths at which the processes see them."""
    found = set()
    for process in processes:
        try:
            found.add(os.readlink(f"/proc/{process}/exe"))
        except OSError:
            pass  # it has ended
    return sorted(found)


def running(roots):
    """What the descendants of some processes are, and on which ports they listen."""
    own = [each for root in roots for each in descendants(root)]
    return {"programs": programs(own), "ports": ports(own)}


def names(processes):
    """The names of the processes that still run."""
    found = set()
    for process in processes:
        try:
            with open(f"/proc/{process}/comm", encoding="utf-8") as file:
                found.add(file.read().strip())
        except OSError:
            pass  # it has ended
    return sorted(found)


def observe(roots, file):
    """What the descendants of some processes can do, and where a file of this name lies."""
    own = [each for root in roots for each in descendants(root)]
    inside, outside = split(own)
    return {
        "files": files(file, inside), "outside": names(outside), "ports": ports(own),
        "processes": names(own), "writable": writable(inside),
    }
