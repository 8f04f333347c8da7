#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the tokens that a process holds in memory, to look for them elsewhere later.

    harvest.py PID OUTPUT

Writes a JSON object, token name → text, that canary.py reads: signed tokens (three parts that begin with eyJ) and opaque
ones (PRT, refresh token, code: two or three parts, the first a digit). Exit status: 0 some were found; 1 none; 2 the
memory cannot be read.
"""
import json
import os
import re
import sys

from memory import Memory, mappings

SIGNED = re.compile(rb"eyJ[A-Za-z0-9_-]{20,2000}\.eyJ[A-Za-z0-9_-]{20,4000}\.[A-Za-z0-9_-]{40,700}")
OPAQUE = re.compile(rb"(?<![A-Za-z0-9_.-])[01]\.[A-Za-z0-9_-]{20,200}\.[A-Za-z0-9_-]{30,400}(?![A-Za-z0-9_.-])")


def main() -> int:
    pid, output = int(sys.argv[1]), sys.argv[2]
    found = {}
    try:
        with Memory(pid) as memory:
            for begin, end, rights, _ in mappings(pid):
                if not rights.startswith("rw"):
                    continue
                try:
                    content = memory.read(begin, end - begin)
                except OSError:
                    continue
                for kind, pattern in (("signed", SIGNED), ("opaque", OPAQUE)):
                    for match in pattern.finditer(content):
                        # A long token's end says enough, and survives being cut or wrapped.
                        found.setdefault(match.group().decode()[-80:], kind)
    except OSError as error:
        print(f"harvest: process {pid}: {error.strerror}", file=sys.stderr)
        return 2
    names = {f"{kind}-{number}": text for number, (text, kind) in enumerate(found.items(), 1)}
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(names, file)
    print(f"harvest: {len(names)} tokens ({', '.join(sorted(set(found.values())))})")
    return 0 if names else 1


sys.exit(main())
