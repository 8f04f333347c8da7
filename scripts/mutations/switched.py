# SPDX-License-Identifier: Apache-2.0
"""Breaks the defences whose mutations have a switch.

All mutations are put into the sources at once, each inactive until BATON_BROKEN names its number, and built once. Then
the tests that should fail run once with all mutations inactive, and once for each. A suite that fails while all are
inactive runs once more by itself. If it fails again, it is ignored, and the defences that only it could detect count as
not judged. The sources are restored afterwards, also after Ctrl-C.
"""
import os
import re
import signal
import subprocess
import sys

import anchors
import data
import threat_model

SWITCH = """// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

private let broken = ProcessInfo.processInfo.environment["BATON_BROKEN"].flatMap { Int($0) }

func isBroken(_ number: Int) -> Bool { broken == number }

/// The number, for the environment of a process that this one starts.
var brokenVariables: [String: String] { broken.map { ["BATON_BROKEN": "\\($0)"] } ?? [:] }
"""

# The session process inherits no environment. This passes the number of the broken defence to it.
CHILD = ("environment: Failpoint.environment,", "environment: Failpoint.environment.merging(brokenVariables) { $1 },")


def weakened(mutations, sources):
    """The changed sources, by file, with a switch for every mutation. Expects that each mutation has been found."""
    child = data.Mutation(0, "the session process gets the number of the broken defence", *CHILD, [], "scripts/mutations/switched.py")
    places, faults = sources.find(child.text), []
    if len(places) != 1:
        raise data.Faults([f"{child}: CHILD is in the sources {len(places)} times, and must be there once. Correct it."])
    child.place = places[0]
    changed = {}
    for mutation in [*mutations, child]:
        file = mutation.place.file
        so_far = sources if file not in changed else changed[file]
        found = [place for place in so_far.find(mutation.text, mutation.scope) if place.file == file]
        if len(found) != 1:
            faults.append(f"{mutation}: its text overlaps with that of another mutation in {file}. "
                          "Choose texts of both that do not overlap.")
            continue
        text, broken = so_far.texts[file], mutation.broken.replace("@", f"isBroken({mutation.number})")
        changed[file] = anchors.Sources({file: text[:found[0].start] + broken + text[found[0].end:]})
    if faults:
        raise data.Faults(faults)
    return {file: one.texts[file] for file, one in changed.items()}


def build(root):
    run = subprocess.run(["scripts/swift", "build", "--build-tests"], cwd=root, capture_output=True, text=True, check=False)
    if run.returncode:
        errors = [line for line in (run.stdout + run.stderr).splitlines() if "error:" in line] or [run.stdout[-4000:]]
        sys.exit("\n".join(["the weakened sources do not compile:", *errors]))


def test(root, suites, broken=None):
    environment = os.environ | ({"BATON_BROKEN": str(broken)} if broken else {})
    # Runs the tests as `swift test` would, but without the nine seconds of processor time in which `swift test` finds
    # that there is nothing to build. A test that hangs is ended with its children: `timeout` ends its process group.
    (program,) = (root / ".build/debug").glob("*.xctest")
    return subprocess.run(
        ["timeout", "--kill-after=10", "900", program, "--testing-library", "swift-testing",
         "--experimental-maximum-parallelization-width", "4", "--filter", rf"[./]({'|'.join(suites)})/"],
        cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def failing(root, mutations):
    """The suites that fail with all mutations inactive, even when they run alone."""
    whole = test(root, sorted({suite for mutation in mutations for suite in mutation.suites}))
    if not whole.returncode:
        return set()
    failed = sorted(set(re.findall(r"Suite (\w+) failed", whole.stdout)))
    again = {suite: test(root, [suite]) for suite in failed}
    red = {suite for suite, run in again.items() if run.returncode}
    if not failed or len(red) > 5:
        sys.exit("with all mutations inactive the tests do not pass:\n" + whole.stdout[-4000:])
    for suite in failed:
        print(f"{suite} failed with all mutations inactive" + (", twice; it judges nothing:\n" + again[suite].stdout[-2000:]
              if suite in red else "; not by itself"), flush=True)
    return red


def judge(root, mutations):
    """Runs each mutation. Returns the numbers of those that no test noticed."""
    silent, unnoticed, named = failing(root, mutations), [], threat_model.rows(root)
    for mutation in mutations:
        suites = [suite for suite in mutation.suites if suite not in silent]
        run = test(root, suites, mutation.number) if suites else None
        red = sorted({line.split("Test ")[1].split(" recorded an issue")[0].strip('"') for line in run.stdout.splitlines()
                      if "recorded an issue" in line and "Test " in line}) if run else []
        noticed = bool(red) and run.returncode not in (0, 124)
        verdict = "red" if noticed else "not judged" if run is None else "HANGS" if run.returncode == 124 else "NOT NOTICED"
        for attack in threat_model.unproved(mutation.purpose, suites, red, named) if noticed else []:
            noticed, verdict = False, f"red, but NOT PROVED: no test of the row “{attack}” failed"
        if noticed and mutation.report not in run.stdout:
            noticed, verdict = False, f"red, but NOT PROVED: the tests do not report “{mutation.report}”"
        if not noticed:
            unnoticed.append(mutation.number)
        print(f"{mutation.number:3} {mutation.purpose}: {verdict}" + (f" ({'; '.join(red)})" if red else ""), flush=True)
    return unnoticed


def run(root, wanted, mutations, sources):
    """Puts all mutations into the sources, and judges those that are wanted."""
    changed = weakened(mutations, sources)
    switches = [root / "Sources" / target / "Switch.swift" for target in sorted({file.split("/")[1] for file in changed})]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    try:
        for file, text in changed.items():
            (root / file).write_text(text)
        for switch in switches:
            switch.write_text(SWITCH)
        build(root)
        return judge(root, wanted)
    finally:
        # A second Ctrl-C does not leave broken sources.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for file in changed:
            (root / file).write_text(sources.texts[file])
        for switch in switches:
            switch.unlink(missing_ok=True)
        signal.signal(signal.SIGINT, before)
