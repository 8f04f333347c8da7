#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the session key that a process of the broker holds in its memory file, in hexadecimal.

    session_key.py PID

Exit status: 0 there is one; 1 there is none, or more than one.
"""
import os
import sys

from memory import open_files

NAME = "/memfd:baton-session-key"


def keys(pid):
    found = set()
    for _, opened in open_files(pid):
        if os.readlink(f"/proc/self/fd/{opened}").split(" ")[0] != NAME:
            continue
        file = os.open(f"/proc/self/fd/{opened}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            found.add(os.read(file, 64))
        finally:
            os.close(file)
    return found


def main() -> int:
    found = keys(int(sys.argv[1]))
    if len(found) != 1:
        print(f"session_key: {len(found)} session keys", file=sys.stderr)
        return 1
    print(found.pop().hex())
    return 0


sys.exit(main())
