#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of canary.py through its command line: what is planted is found, what cannot be searched is never "none"."""
import base64
import ctypes
import gzip
import html
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import zipfile
import zlib

import memory

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "canary.py")
PRCTL = ctypes.CDLL(None).prctl
TEXT = 'Zoë "Ray" O\'Neil/+&<canary> 𝄞?~'
PLAIN = "plaincanary4711"


def deflate(data):
    machine = zlib.compressobj(9, zlib.DEFLATED, -15)
    return machine.compress(data) + machine.flush()


def zipped(data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("some/name", data)
    return out.getvalue()


ENCODED = {
    "raw": TEXT.encode(),
    "utf-16le": TEXT.encode("utf-16-le"),
    "utf-16be": TEXT.encode("utf-16-be"),
    "base64@0": base64.b64encode(TEXT.encode()),
    "base64@1": base64.b64encode(b"x" + TEXT.encode() + b"yz"),
    "base64@2": base64.b64encode(b"xy" + TEXT.encode() + b"z"),
    "base64url@0": base64.urlsafe_b64encode(TEXT.encode()),
    "base64url@1": base64.urlsafe_b64encode(b"x" + TEXT.encode()),
    "base64url@2": base64.urlsafe_b64encode(b"xy" + TEXT.encode()),
    "hex": TEXT.encode().hex().encode(),
    "HEX": TEXT.encode().hex().upper().encode(),
    "percent": urllib.parse.quote(TEXT, safe="").encode(),
    "percent, some": urllib.parse.quote(TEXT).encode(),
    "percent, all": "".join(f"%{byte:02x}" for byte in TEXT.encode()).encode(),
    "percent, form": urllib.parse.urlencode({"q": TEXT}).encode(),
    "json": json.dumps(TEXT).encode(),
    "json, slashes": json.dumps(TEXT).replace("/", "\\/").encode(),
    "json, unicode": json.dumps(TEXT, ensure_ascii=False).encode(),
    "json, all": "".join(
        f"\\u{unit:04X}" for unit in memoryview(TEXT.encode("utf-16-le")).cast("H")).encode(),
    "html": html.escape(TEXT).encode(),
    "html, numbers": "".join(f"&#x{ord(character):x};" for character in TEXT).encode(),
}
PACKED = {
    "gzip": lambda data: b"before" + gzip.compress(data) + b"after",
    "zlib": lambda data: b"before" + zlib.compress(data) + b"after",
    "zlib, best": lambda data: zlib.compress(data, 9),
    "zip": zipped,
    "deflate": deflate,
    "gzip in gzip": lambda data: gzip.compress(b"x" * 99 + gzip.compress(data)),
}


class CanarySearch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.place = os.path.join(self.scratch, "place")
        os.mkdir(self.place)
        self.write({"name": TEXT, "plain": PLAIN}, "canaries.json")

    def write(self, canaries, name):
        with open(os.path.join(self.scratch, name), "w", encoding="utf-8") as file:
            json.dump(canaries, file)

    def plant(self, data, name="file"):
        with open(os.path.join(self.place, name), "wb") as file:
            file.write(data)

    def search(self, *arguments, canaries="canaries.json"):
        done = subprocess.run(
            [sys.executable, TOOL, "--canaries", os.path.join(self.scratch, canaries), *arguments],
            capture_output=True, text=True, check=False)
        for text in (TEXT, PLAIN):
            self.assertNotIn(text, done.stdout + done.stderr, "the tool says what it searches for")
        return done.returncode, done.stdout

    def place_status(self, *more):
        return self.search("--surface", f"place={self.place}", *(more or ["--expect-none"]))[0]

    def found_in_files(self, pack):
        """Plants each encoding in a file of its own; gives the encodings that were found in each."""
        for name, data in ENCODED.items():
            self.plant(pack(data), name)
        status, output = self.search("--surface", f"place={self.place}", "--expect-none", "--json")
        self.assertEqual(status, 1)
        hits = json.loads(output)["surfaces"][0]["hits"]
        self.assertEqual(list(hits), ["name"])
        return {
            name: {hit["encoding"] for hit in hits["name"] if hit["place"].split("+")[0].split(">")[0] == name}
            for name in ENCODED
        }

    def test_each_encoding_is_found_in_a_file(self):
        found = self.found_in_files(lambda data: b"\x00around" + data + b"around\xff")
        for name, encodings in found.items():
            self.assertIn(name.split(",")[0].lower(), encodings, name)

    def test_each_encoding_is_found_in_each_kind_of_compressed_stream(self):
        for packing, pack in PACKED.items():
            with self.subTest(packing):
                found = self.found_in_files(lambda data: pack(os.urandom(50) + data + b"around" * 50))
                for name, encodings in found.items():
                    self.assertIn(name.split(",")[0].lower(), encodings, name)

    def test_bytes_that_are_no_text_are_found_as_they_are_and_written_down(self):
        key = bytes([0, 255, 10, 92, 128, 46, 0, 7, 200, 13, 43, 1])
        self.write({"key": {"hex": key.hex()}}, "key.json")
        forms = {"raw": key, "base64": base64.b64encode(b"x" + key), "hex": key.hex().encode()}
        for name, data in forms.items():
            self.plant(b"before" + data + b"after", name)
        status, output = self.search(
            "--surface", f"place={self.place}", "--expect-none", "--json", canaries="key.json")
        self.assertEqual(status, 1)
        places = {hit["place"].split("+")[0] for hit in json.loads(output)["surfaces"][0]["hits"]["key"]}
        self.assertEqual(places, set(forms))
        self.plant(key[1:], "raw")
        self.plant(b"", "base64")
        self.plant(b"", "hex")
        self.assertEqual(
            self.search("--surface", f"place={self.place}", "--expect-none", canaries="key.json")[0], 0)

    def test_a_broken_text_is_not_found(self):
        for data in (TEXT.encode()[:-1], TEXT.encode("utf-16-le")[:-2], PLAIN[:-1].encode(), PLAIN.upper().encode()):
            self.plant(data)
            self.assertEqual(self.place_status(), 0)
            self.assertEqual(self.place_status("--expect-hit", "place"), 1)

    def test_a_text_across_the_borders_of_what_is_read_at_once_is_found(self):
        for border in (4 << 20, 8 << 20):
            for before in (1, 7, 14, 15):
                with self.subTest(border=border, before=before):
                    self.plant(b"\0" * (border - before) + PLAIN.encode() + b"\0" * 1000)
                    status, output = self.search("--surface", f"place={self.place}", "--expect-hit", "place=plain")
                    self.assertEqual(status, 0)
                    self.assertIn(f"1 hits as raw, first in file+{border - before}\n", output)

    def test_a_text_within_another_and_two_of_one_text_are_all_found(self):
        self.write({"short": "Amara Okafor", "long": "Amara Okafor-Canary", "same": "Amara Okafor"}, "three.json")
        self.plant(b"...Amara Okafor-Canary...")
        rule = ["--surface", f"place={self.place}", "--expect-hit", "place=short,long,same"]
        self.assertEqual(self.search(*rule, canaries="three.json")[0], 0)

    def test_names_links_and_attributes_are_searched_but_links_are_not_followed(self):
        self.plant(b"", f"a-{PLAIN}-b")
        self.assertEqual(self.place_status("--expect-hit", "place=plain"), 0)
        os.unlink(os.path.join(self.place, f"a-{PLAIN}-b"))
        os.symlink(f"/nowhere/{PLAIN}", os.path.join(self.place, "link"))
        self.assertEqual(self.place_status("--expect-hit", "place=plain"), 0)
        os.unlink(os.path.join(self.place, "link"))
        outside = os.path.join(self.scratch, "outside")
        with open(outside, "w", encoding="utf-8") as file:
            file.write(PLAIN)
        os.symlink(outside, os.path.join(self.place, "link"))
        self.assertEqual(self.place_status(), 0)

    def test_a_single_file_and_a_nested_folder_are_surfaces(self):
        os.makedirs(os.path.join(self.place, "a/b"))
        self.plant(PLAIN.encode(), "a/b/c")
        self.assertEqual(self.place_status("--expect-hit", "place=plain"), 0)
        file = os.path.join(self.place, "a/b/c")
        self.assertEqual(self.search("--surface", f"file={file}", "--expect-hit", "file=plain")[0], 0)

    def test_memory_and_unlinked_files_of_a_process_are_searched(self):
        program = (
            "import sys,os,tempfile\n"
            "what = bytes.fromhex(sys.stdin.readline())\n"
            "how = sys.stdin.readline().strip()\n"
            "if how == 'memory': kept = b'x' + what\n"
            "else:\n"
            "    kept = tempfile.TemporaryFile(); kept.write(what); kept.flush()\n"
            "del what\n"
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n")
        for how in ("memory", "file"):
            for name in ("raw", "utf-16le", "json"):
                with self.subTest(how=how, name=name):
                    child = subprocess.Popen(
                        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                    child.stdin.write(ENCODED[name].hex() + f"\n{how}\n")
                    child.stdin.flush()
                    self.assertEqual(child.stdout.readline(), "ready\n")
                    status, output = self.search("--process", f"child={child.pid}", "--expect-hit", "child=name")
                    self.assertEqual(status, 0, output)
                    if how == "file":
                        _, output = self.search("--process", f"child={child.pid}", "--expect-hit", "child", "--json")
                        self.assertIn("unlinked file", output)
                    child.communicate()

    def test_the_calls_see_what_the_files_of_proc_show(self):
        secret = os.urandom(16).hex()
        program = (
            "import sys,tempfile\n"
            "kept, file = sys.stdin.readline(), tempfile.TemporaryFile()\n"
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n")
        with subprocess.Popen(
                [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            child.stdin.write(secret + "\n")
            child.stdin.flush()
            self.assertEqual(child.stdout.readline(), "ready\n")
            for by_call in (False, True):
                with self.subTest(by_call=by_call), memory.Memory(child.pid, by_call) as seen:
                    where = [m for m in memory.mappings(child.pid) if m[2].startswith("rw")]
                    self.assertTrue(any(secret.encode() in seen.read(begin, end - begin) for begin, end, _, _ in where))
                    with self.assertRaises(OSError):
                        seen.read(0, 1)
                    unlinked = [n for n, file in memory.open_files(child.pid, by_call) if os.fstat(file).st_nlink == 0]
                    self.assertEqual(len(unlinked), 1)
            child.communicate("\n")

    def test_a_process_without_the_text_has_none(self):
        with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            child.stdin.write(b"x")
            child.stdin.flush()
            child.stdout.read(1)
            self.assertEqual(self.search("--process", f"child={child.pid}", "--expect-none")[0], 0)
            self.assertEqual(self.search("--process", f"child={child.pid}", "--expect-hit", "child")[0], 1)

    def test_what_cannot_be_searched_is_an_error_and_never_none(self):
        missing = os.path.join(self.place, "missing")
        self.assertEqual(self.search("--surface", f"gone={missing}", "--expect-none")[0], 2)
        self.assertEqual(
            self.search("--surface", f"gone={missing}", "--absent-is-none", "gone", "--expect-none")[0], 0)
        with subprocess.Popen(["/bin/true"]) as child:
            child.wait()
            self.assertEqual(self.search("--process", f"gone={child.pid}", "--expect-none")[0], 2)
        self.assertEqual(self.search("--process", "odd=one", "--expect-none")[0], 2)

    def test_a_folder_that_may_not_be_read_is_an_error(self):
        self.plant(b"x", "hidden")
        os.chmod(os.path.join(self.place, "hidden"), 0)

        def lose_rights():
            # Root reads everything by two capabilities; the program that follows does not get them.
            if os.geteuid() == 0:
                for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
                    PRCTL(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP

        done = subprocess.run(
            [sys.executable, TOOL, "--canaries", os.path.join(self.scratch, "canaries.json"), "--surface",
             f"place={self.place}", "--expect-none"],
            capture_output=True, text=True, check=False, preexec_fn=lose_rights)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("could not search hidden: Permission denied", done.stdout)

    def test_a_stream_that_unpacks_without_end_is_an_error(self):
        machine = zlib.compressobj(9, zlib.DEFLATED, 31)
        bomb = b"".join(machine.compress(bytes(1 << 20)) for _ in range(65)) + machine.flush()
        self.plant(bomb)
        self.assertEqual(self.place_status(), 2)

    def test_rules_that_could_never_fail_are_refused(self):
        surface = ["--surface", f"place={self.place}"]
        for arguments in (
            surface, ["--expect-none"], [*surface, "--expect-hit", "other"], [*surface, "--expect-none=other"],
            [*surface, "--expect-hit", "place=other"], [*surface, *surface, "--expect-none"],
            ["--surface", self.place, "--expect-none"], [*surface, "--absent-is-none", "other", "--expect-none"],
        ):
            self.assertEqual(self.search(*arguments)[0], 2, arguments)
        odd_bytes = ({"odd": {"hex": "0g" * 9}}, {"short": {"hex": "00ff"}}, {"empty": {}}, {"list": {"hex": [1] * 9}})
        for canaries in ({}, {"short": "abc"}, {"number": 1}, [], *odd_bytes):
            self.write(canaries, "odd.json")
            self.assertEqual(self.search(*surface, "--expect-none", canaries="odd.json")[0], 2, canaries)
        self.assertEqual(self.search(*surface, "--expect-none", canaries="missing.json")[0], 2)

    def test_rules_are_kept_for_each_surface(self):
        self.plant(PLAIN.encode())
        empty = os.path.join(self.scratch, "empty")
        os.mkdir(empty)
        both = ["--surface", f"full={self.place}", "--surface", f"empty={empty}"]
        self.assertEqual(self.search(*both, "--expect-none=empty", "--expect-hit", "full=plain")[0], 0)
        self.assertEqual(self.search(*both, "--expect-none=full")[0], 1)
        self.assertEqual(self.search(*both, "--expect-hit", "empty")[0], 1)
        self.assertEqual(self.search(*both, "--expect-hit", "full=name")[0], 1)
        self.assertEqual(self.search(*both, "--expect-none")[0], 1)

    def test_a_vanished_file_is_none_and_a_fifo_does_not_stop_the_search(self):
        os.mkfifo(os.path.join(self.place, "fifo"))
        self.assertEqual(self.place_status(), 0)


if __name__ == "__main__":
    unittest.main()
