#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches named places for texts that must not be there, or must.

    canary.py --canaries FILE [--surface NAME=PATH]… [--process NAME=PID]… [--absent-is-none NAME]…
              [--expect-none | --expect-none=SURFACE[,SURFACE]…]… [--expect-hit SURFACE[=CANARY[,CANARY]…]]… [--json]

FILE is a JSON object: canary name → text (at least 6 bytes; a file, so that no text stands on a command line), or for
bytes that are no text, such as a key, {"hex": digits}.
A surface is a file or a folder (with names, link targets and extended attributes; links are not followed), or a
process: its readable memory and the unlinked files that it holds open.

Each text is looked for raw (UTF-8), as UTF-16 (both orders), base64 (at its three offsets, both alphabets),
percent-encoded and form-encoded, JSON- and HTML-escaped (also partly), hexadecimal, and all of these inside gzip, zlib
and zip streams of files and in files that are one raw deflate stream; bytes that are no text raw, in base64 and
hexadecimal. Not seen: other compressions (Brotli, Snappy),
encryption, texts that a database splits over pages.

Prints a line for each surface and canary with encoding and place, never the text. Exit status: 0 every expectation held;
1 one did not; 2 something could not be searched, or the call is wrong: then nothing is proved.
"""
import argparse
import base64
import errno
import html
import itertools
import json
import os
import re
import stat
import sys
import zlib

from memory import Memory, mappings, open_files

CHUNK = 4 << 20
STREAM_LIMIT = 64 << 20  # unpacked bytes of one compressed stream; more is an error, never a shorter search
DEPTH = 3  # compressed streams inside compressed streams
SHORTEST = 6
KINDS = {b"\x1f\x8b\x08": ("gzip", 31), b"PK\x03\x04": ("zip", -15), b"": ("deflate", -15)}
COMPRESSED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]|PK\x03\x04")


class Unsearchable(Exception):
    """A place that could not be searched: neither a hit nor none."""


# What to look for.

def branches(pieces):
    """A sequence of alternatives per character as patterns that each begin with a literal, which `re` searches fast."""
    rest = b"".join(b"(?:" + b"|".join(map(re.escape, piece)) + b")" for piece in pieces[1:])
    return [re.escape(first) + rest for first in pieces[0]]


def cased(text):
    return {text.lower().encode(), text.upper().encode()}


def percent(text):
    pieces = []
    for byte in text.encode():
        piece = {bytes([byte])} | cased(f"%{byte:02x}")
        pieces.append(sorted(piece | {b"+"} if byte == 0x20 else piece))
    return branches(pieces)


def json_escaped(text):
    short = {'"': b'\\"', "\\": b"\\\\", "/": b"\\/", "\n": b"\\n", "\r": b"\\r", "\t": b"\\t"}
    pieces = []
    for character in text:
        units = character.encode("utf-16-be")
        lower = b"".join(b"\\u" + units[i : i + 2].hex().encode() for i in range(0, len(units), 2))
        piece = {character.encode(), lower, lower.upper().replace(b"\\U", b"\\u")}
        if character in short:
            piece.add(short[character])
        pieces.append(sorted(piece))
    return branches(pieces)


def html_escaped(text):
    pieces = []
    for character in text:
        piece = {character.encode(), html.escape(character).encode(), f"&#{ord(character)};".encode()}
        piece |= {f"&#{x}{ord(character):{x}};".encode() for x in "xX"} | {f"&#x{ord(character):X};".encode()}
        if character == "'":
            piece |= {b"&apos;", b"&#39;"}
        pieces.append(sorted(piece))
    return branches(pieces)


def base64_at(data, offset, alphabet):
    """The characters that do not depend on what stands before and behind `data`, which begins at this offset of three."""
    encoded = base64.b64encode(bytes(offset) + data, alphabet)
    return encoded[(0, 2, 3)[offset] : (offset + len(data)) * 8 // 6]


def raw(canary):
    return canary.encode() if isinstance(canary, str) else canary


def encodings(canary):
    """Yields the name of each encoding and its patterns, raw first."""
    data = raw(canary)
    yield "raw", [re.escape(data)]
    for offset in range(3):
        yield f"base64@{offset}", [re.escape(base64_at(data, offset, b"+/"))]
        if base64_at(data, offset, b"-_") != base64_at(data, offset, b"+/"):
            yield f"base64url@{offset}", [re.escape(base64_at(data, offset, b"-_"))]
    yield "hex", [data.hex().encode(), data.hex().upper().encode()]
    if isinstance(canary, str):
        yield "utf-16le", [re.escape(canary.encode("utf-16-le"))]
        # Without the zero at its beginning, at which a search of empty memory would stop at every byte.
        yield "utf-16be", [re.escape(canary.encode("utf-16-be").lstrip(b"\0"))]
        yield "percent", percent(canary)
        yield "json", json_escaped(canary)
        yield "html", html_escaped(canary)


class Needles:
    """All canaries in all encodings, compiled once."""

    def __init__(self, canaries):
        self.raw = {name: raw(canary) for name, canary in canaries.items()}
        self.each = []
        everything = set()
        for name, canary in canaries.items():
            for encoding, patterns in encodings(canary):
                self.each.append((name, encoding, re.compile(b"|".join(patterns), re.DOTALL)))
                everything.update(patterns)
        self.any = re.compile(b"|".join(sorted(everything, key=len, reverse=True)), re.DOTALL)
        self.longest = max(12 * len(data) for data in self.raw.values())

    def at(self, window, start):
        """Yields the canaries and encodings that begin here; plain text is only raw, however else it may be read."""
        for name, encoding, pattern in self.each:
            match = pattern.match(window, start)
            if match and (encoding == "raw" or match.group() != self.raw[name]):
                yield name, encoding

    def hidden(self, text):
        return self.any.sub(b"<canary>", os.fsencode(text)).decode(errors="replace")


# Where to look.

class Surface:
    """What was found in one named place."""

    def __init__(self, name, needles):
        self.name = name
        self.needles = needles
        self.hits = {}  # canary → list of (encoding, place)
        self.errors = []
        self.bytes = 0

    def found(self, canary, encoding, place):
        self.hits.setdefault(canary, []).append((encoding, self.needles.hidden(place)))

    def failed(self, place, reason):
        self.errors.append(f"{self.needles.hidden(place)}: {reason}")

    def search(self, chunks, place, unpack=None):
        """Searches consecutive chunks; `unpack(offset, magic)` is told where a compressed stream may begin."""
        overlap = self.needles.longest
        window, start = b"", 0
        for chunk in itertools.chain(chunks, [None]):
            self.bytes += len(chunk or b"")
            window += chunk or b""
            # What begins in the last bytes may go on in the next chunk: it is looked at together with that.
            limit = len(window) if chunk is None else max(0, len(window) - overlap)
            position = 0
            while (match := self.needles.any.search(window, position)) and match.start() < limit:
                position = match.start() + 1
                for canary, encoding in self.needles.at(window, match.start()):
                    self.found(canary, encoding, f"{place}+{start + match.start()}")
            if unpack:
                for match in COMPRESSED.finditer(window):
                    if match.start() < limit:
                        unpack(start + match.start(), match.group())
            start += limit
            window = window[limit:]

    def search_text(self, data, place):
        self.search([data], place)

    def search_file(self, file, place):
        def read(offset, size=CHUNK):
            return os.pread(file, size, offset)

        def unpack(offset, magic):
            self.search_stream(read, offset, magic, place, DEPTH)

        self.search(read_chunks(read), place, unpack)
        self.search_stream(read, 0, b"", place, DEPTH)

    def search_stream(self, read, offset, magic, place, depth):
        """Searches a compressed stream that may begin at `offset`; what is none after all is none."""
        kind, bits = KINDS.get(magic, ("zlib", 15))
        if kind == "zip":
            header = read(offset, 30)
            if len(header) < 30 or header[8:10] != b"\x08\x00":
                return
            offset += 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        place = f"{place}>{kind}@{offset}"
        content = bytearray()

        def unpack(at, magic):
            nested.append((at, magic))

        def pieces():
            for piece in unpacked(read, offset, bits):
                if len(content) + len(piece) > STREAM_LIMIT:
                    raise Unsearchable(f"unpacks to more than {STREAM_LIMIT} bytes")
                content.extend(piece)
                yield piece

        nested = []
        try:
            self.search(pieces(), place, unpack)
        except Unsearchable as problem:
            self.failed(place, problem)
        for at, magic in nested if depth > 1 else []:
            self.search_stream(lambda at, size=CHUNK: bytes(content[at : at + size]), at, magic, place, depth - 1)


def unpacked(read, offset, bits):
    """A compressed stream piece by piece, as far as it is one."""
    machine = zlib.decompressobj(bits)
    size = 4096  # most beginnings are none: a few bytes show it
    try:
        while not machine.eof:
            data = machine.unconsumed_tail
            if not data:
                data = read(offset, size)
                offset += len(data)
                size = CHUNK
            if not data:
                yield machine.flush()
                return
            yield machine.decompress(data, CHUNK)
    except zlib.error:
        return  # what came before the damage was searched


def read_chunks(read):
    offset = 0
    while chunk := read(offset):
        yield chunk
        offset += len(chunk)


def search_tree(surface, path, place):
    """Searches a file, link or folder with all that is in it; what vanishes meanwhile is no longer there."""
    try:
        status = os.lstat(path)
        surface.search_text(os.fsencode(os.path.basename(path)), f"{place} (name)")
        for name, value in attributes(path):
            surface.search_text(name + b"\0" + value, f"{place} (attribute)")
        if stat.S_ISLNK(status.st_mode):
            surface.search_text(os.fsencode(os.readlink(path)), f"{place} (link)")
        elif stat.S_ISREG(status.st_mode):
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                surface.search_file(file, place)
            finally:
                os.close(file)
        elif stat.S_ISDIR(status.st_mode):
            for name in sorted(os.listdir(path)):
                search_tree(surface, os.path.join(path, name), f"{place}/{name}" if place != "." else name)
    except FileNotFoundError:
        return
    except OSError as problem:
        surface.failed(place, problem.strerror)


def attributes(path):
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError as problem:
        if problem.errno == errno.ENOTSUP:
            return []
        raise
    return [(os.fsencode(name), os.getxattr(path, name, follow_symlinks=False)) for name in names]


def search_memory(surface, pid):
    """Searches the readable mappings of a process."""
    searched = 0
    with Memory(pid) as memory:
        for begin, end, rights, name in mappings(pid):
            def read(offset, begin=begin, end=end):
                size = min(CHUNK, end - begin - offset)
                return memory.read(begin + offset, size) if size > 0 else b""

            try:
                before = surface.bytes
                surface.search(read_chunks(read), f"memory of {name or 'no file'} at {begin:x}")
                searched += surface.bytes - before
            except OSError as problem:
                # Pages beyond a mapped file's end, of a device, or given back meanwhile have no content.
                if name.startswith("/") or (begin, end, rights, name) not in set(mappings(pid)):
                    continue
                raise Unsearchable(f"memory at {begin:x}: {problem.strerror}") from None
    if searched == 0:
        raise Unsearchable("no memory could be read")


def search_unlinked(surface, pid):
    """Searches files that have no name any more but are open."""
    for number, opened in open_files(pid):
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 0:
            continue
        file = os.open(f"/proc/self/fd/{opened}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            surface.search_file(file, f"unlinked file {number}")
        finally:
            os.close(file)


def search_process(surface, pid):
    try:
        search_memory(surface, pid)
        search_unlinked(surface, pid)
    except OSError as problem:
        reason = "there is no such process" if problem.errno in (errno.ENOENT, errno.ESRCH) else problem.strerror
        raise Unsearchable(reason) from None


# What was expected.

def judge(arguments, surfaces, canaries):
    """The expectations that did not hold."""
    broken = []
    every = {surface.name: surface for surface in surfaces}
    for rule in arguments.expect_none:
        for name in rule.split(",") if rule else every:
            broken += [f"{name} holds {canary}" for canary in every[name].hits]
    for rule in arguments.expect_hit:
        name, _, wanted = rule.partition("=")
        for canary in wanted.split(",") if wanted else [None]:
            if canary is None and not every[name].hits:
                broken.append(f"{name} holds no canary")
            elif canary is not None and canary not in every[name].hits:
                broken.append(f"{name} does not hold {canary}")
    return broken


def report(arguments, surfaces, canaries, broken):
    if arguments.json:
        found = [
            {
                "surface": surface.name, "bytes": surface.bytes, "errors": surface.errors,
                "hits": {
                    canary: [{"encoding": encoding, "place": place} for encoding, place in hits]
                    for canary, hits in surface.hits.items()
                },
            }
            for surface in surfaces
        ]
        print(json.dumps({"surfaces": found, "broken": broken, "searched": not any(s.errors for s in surfaces)}))
        return
    for surface in surfaces:
        for canary in canaries:
            hits = surface.hits.get(canary)
            if hits:
                kinds = ", ".join(sorted({encoding for encoding, _ in hits}))
                print(f"{surface.name}: {canary}: {len(hits)} hits as {kinds}, first in {hits[0][1]}")
            else:
                print(f"{surface.name}: {canary}: {'none in what could be searched' if surface.errors else 'none'}")
        for problem in surface.errors:
            print(f"{surface.name}: could not search {problem}")
    for text in broken:
        print(f"not as expected: {text}")


def parse():
    parser = argparse.ArgumentParser(allow_abbrev=False, usage=__doc__)
    parser.add_argument("--canaries", required=True)
    parser.add_argument("--surface", action="append", default=[])
    parser.add_argument("--process", action="append", default=[])
    parser.add_argument("--absent-is-none", action="append", default=[])
    parser.add_argument("--expect-none", action="append", default=[], nargs="?", const="")
    parser.add_argument("--expect-hit", action="append", default=[])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.canaries, encoding="utf-8") as file:
        canaries = json.load(file)
    if not isinstance(canaries, dict) or not canaries:
        parser.error("--canaries: no canaries")
    for name, canary in canaries.items():
        try:
            canaries[name] = canary if isinstance(canary, str) else bytes.fromhex(canary["hex"])
        except (KeyError, TypeError, ValueError):
            parser.error(f"--canaries: {name} is neither text nor hexadecimal digits")
        if len(raw(canaries[name])) < SHORTEST:
            parser.error(f"--canaries: {name} has less than {SHORTEST} bytes")
    check(arguments, canaries, parser.error)
    return arguments, canaries


def check(arguments, canaries, refuse):
    """A rule about a name that nobody searches would hold for ever."""
    names = [place.partition("=")[0] for place in arguments.surface + arguments.process]
    if not names or not all("=" in place for place in arguments.surface + arguments.process):
        refuse("give surfaces as NAME=PATH or NAME=PID")
    if len(set(names)) != len(names):
        refuse("two surfaces of one name")
    if not arguments.expect_none and not arguments.expect_hit:
        refuse("give --expect-none or --expect-hit")
    ruled = [name for rule in arguments.expect_none if rule for name in rule.split(",")]
    ruled += [rule.partition("=")[0] for rule in arguments.expect_hit] + arguments.absent_is_none
    for name in ruled:
        if name not in names:
            refuse(f"a rule names the surface {name}, which is not searched")
    for rule in arguments.expect_hit:
        for canary in filter(None, rule.partition("=")[2].split(",")):
            if canary not in canaries:
                refuse(f"a rule names the canary {canary}, which is not searched for")


def main():
    arguments, canaries = parse()
    needles = Needles(canaries)
    surfaces = []
    for place in arguments.surface:
        name, _, path = place.partition("=")
        surface = Surface(name, needles)
        surfaces.append(surface)
        if os.path.lexists(path):
            # The surface itself may be a link; what is in it is not followed.
            search_tree(surface, os.path.realpath(path), ".")
        elif name not in arguments.absent_is_none:
            surface.failed(".", "there is no such file or folder")
    for place in arguments.process:
        name, _, pid = place.partition("=")
        surface = Surface(name, needles)
        surfaces.append(surface)
        try:
            search_process(surface, int(pid))
        except (Unsearchable, ValueError) as problem:
            surface.failed(f"process {pid}", problem)
    broken = judge(arguments, surfaces, canaries)
    report(arguments, surfaces, canaries, broken)
    return 2 if any(surface.errors for surface in surfaces) else 1 if broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError) as problem:
        print(f"canary.py: {problem}", file=sys.stderr)
        sys.exit(2)
