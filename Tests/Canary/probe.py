#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tells whether this process may read the memory of one that keeps it to itself.

    probe.py [COMMAND…]

Starts such a process, through COMMAND where it is given, and looks for a text in it. Exit status: 0 it was found; 2 the
memory cannot be read.
"""
import os
import subprocess
import sys

from memory import Memory, mappings, open_files

# Like batond's session process: PR_SET_DUMPABLE 0 (prctl(2)).
SHUT = """
import ctypes, sys
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
text = sys.stdin.readline().strip()
print("ready", flush=True)
sys.stdin.read()
"""


def main():
    text = os.urandom(16).hex()
    with subprocess.Popen(
            sys.argv[1:] + [sys.executable, "-c", SHUT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            child.stdin.write(text + "\n")
            child.stdin.flush()
            if child.stdout.readline() != "ready\n":
                return 2
            seen = any(number == 0 for number, _ in open_files(child.pid))
            with Memory(child.pid) as memory:
                for begin, end, rights, name in mappings(child.pid):
                    if rights.startswith("rw") and not name.startswith("/"):
                        seen_here = text.encode() in memory.read(begin, end - begin)
                        if seen and seen_here:
                            return 0
        finally:
            child.stdin.close()
    return 2


try:
    sys.exit(main())
except OSError as problem:
    print(f"probe: {problem.strerror}", file=sys.stderr)
    sys.exit(2)
