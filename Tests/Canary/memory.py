# SPDX-License-Identifier: Apache-2.0
"""The memory and the open files of another process, as far as the kernel lets this one look.

Root reads them through /proc. Who owns the user namespace in which a process runs may look, too (user_namespaces(7)),
but the files in /proc of a process that keeps its memory to itself belong to root: there the calls are used instead.
"""
import ctypes
import os
import resource

LIBC = ctypes.CDLL(None, use_errno=True)
PIDFD_GETFD = 438  # the same number on every architecture


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Memory:
    """A process's memory, read through /proc or, with `by_call`, by process_vm_readv(2)."""

    def __init__(self, pid, by_call=None):
        self.pid = pid
        self.file = None
        if not by_call:
            try:
                self.file = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
            except PermissionError:
                if by_call is False:
                    raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.file is not None:
            os.close(self.file)

    def read(self, address, size):
        """At most `size` bytes; OSError where the first of them cannot be read."""
        if self.file is not None:
            return os.pread(self.file, size, address)
        buffer = ctypes.create_string_buffer(size)
        ours = Vector(ctypes.addressof(buffer), size)
        theirs = Vector(address, size)
        count = LIBC.process_vm_readv(self.pid, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
        if count < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return buffer.raw[:count]


def mappings(pid):
    """The readable mappings: begin, end, rights, name."""
    found = []
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            fields = line.split(maxsplit=5)
            name = fields[5].strip() if len(fields) > 5 else ""
            # The kernel's own pages, the same in each process.
            if "r" in fields[1] and name not in ("[vvar]", "[vvar_vclock]", "[vsyscall]"):
                begin, end = fields[0].split("-")
                found.append((int(begin, 16), int(end, 16), fields[1], name))
    return found


def open_files(pid, by_call=None):
    """Yields the number of each open file of the process and a descriptor of ours for it, closed afterwards."""
    for number, opened in by_descriptor(pid) if by_call else by_folder(pid, by_call):
        try:
            yield number, opened
        finally:
            os.close(opened)


def by_folder(pid, by_call=None):
    folder = f"/proc/{pid}/fd"
    try:
        numbers = os.listdir(folder)
    except PermissionError:
        if by_call is False:
            raise
        yield from by_descriptor(pid)
        return
    for number in numbers:
        try:
            yield int(number), os.open(f"{folder}/{number}", os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # closed meanwhile


def by_descriptor(pid):
    """Asks for every number that there may be (pidfd_getfd(2)), since the list is not ours to read."""
    process = os.pidfd_open(pid)
    try:
        for number in range(resource.prlimit(pid, resource.RLIMIT_NOFILE)[0]):
            opened = LIBC.syscall(PIDFD_GETFD, process, number, 0)
            if opened >= 0:
                yield number, opened
            elif ctypes.get_errno() != 9:  # EBADF: no such file
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        os.close(process)
