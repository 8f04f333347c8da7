# SPDX-License-Identifier: Apache-2.0
"""Breaks the guards of the session machine and of related code: the journal's format, the session timer, sign-out
triggers, and tombstones.

Works on a copy of the few files concerned, in a separate package, which is compiled anew for each mutation. So a
mutation may be one that a switch cannot make, such as a removed pattern.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import data
import threat_model

# The targets that are copied as a whole, and the files of others.
WHOLE = ["CLinux", "Encodings", "Redaction", "JSON"]
FILES = {
    "BrokerProtocol": ["Epoch", "AccountTombstone", "AppEraser", "HandoverName"],
    "DeviceSettings": ["SessionStage", "SignOutTrigger", "SessionTimeouts"],
    "SessionIPC": ["SignInRefusal"],
    "BrokerSupervisor": [
        "SessionMachine", "SessionOutcomes", "SessionState", "JournalRecord", "Commit", "HandoverOutcome", "ItemOutcome",
        "SessionTimer"],
}
# What the suites need, in their folder.
SUPPORT = ["AppEraser+Literal", "SessionAction", "SessionSteps"]
TESTS = "Tests/BrokerTests/Session"

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SessionMachine",
    targets: [
        .target(name: "CLinux"), .target(name: "Encodings"), .target(name: "Redaction", dependencies: ["CLinux"]),
        .target(name: "JSON", dependencies: ["Encodings", "Redaction"]),
        .target(name: "BrokerProtocol", dependencies: ["Encodings", "JSON"]),
        .target(name: "DeviceSettings", dependencies: ["BrokerProtocol"]), .target(name: "SessionIPC"),
        .target(
            name: "BrokerSupervisor", dependencies: ["BrokerProtocol", "DeviceSettings", "JSON", "SessionIPC"]),
        .testTarget(
            name: "BrokerTests", dependencies: ["BrokerProtocol", "BrokerSupervisor", "DeviceSettings", "SessionIPC"]),
    ])
for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
"""


def broken(mutation, sources):
    """The text of the mutation's file with the mutation."""
    file, start, end = mutation.place
    return sources.texts[file][:start] + mutation.broken + sources.texts[file][end:]


def files(mutations, sources):
    """The files of Sources that the package needs. Raises Faults if one does not exist, or if a mutation is in any
    other file."""
    found, faults = [], []
    for target, names in FILES.items():
        for name in names:
            places = [file for file in sources.texts if file.startswith(f"Sources/{target}/") and file.endswith(f"/{name}.swift")]
            if len(places) != 1:
                faults.append(f"scripts/mutations/session_machine.py: {len(places)} files of {target} are called {name}.swift, "
                              "and one must be. Correct FILES.")
            found += places
    faults += [f"{mutation}: its text is in {mutation.place.file}, which is not in the package of the session machine. Add the file "
               f"to FILES in scripts/mutations/session_machine.py, or list the mutation with a switch in another file {data.NAME}."
               for mutation in mutations if mutation.place.file not in found]
    if faults:
        raise data.Faults(faults)
    return found


def prepare(root, folder, mutations, sources):
    (folder / "Package.swift").write_text(MANIFEST)
    for target in WHOLE:
        shutil.copytree(root / "Sources" / target, folder / "Sources" / target)
    suites = sorted({suite for mutation in mutations for suite in mutation.suites})
    tests = [file for name in SUPPORT + suites if (root / (file := f"{TESTS}/{name}.swift")).exists()]
    for file in files(mutations, sources) + tests:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / file, folder / file)


def test(folder):
    # A test that hangs is ended with its children: `timeout` ends its process group.
    return subprocess.run(
        ["timeout", "--kill-after=10", "600", "swift", "test", "--package-path", str(folder)], capture_output=True, text=True,
        check=False)


def notices(mutation, folder, sources, named):
    file = folder / mutation.place.file
    file.write_text(broken(mutation, sources))
    run = test(folder)
    file.write_text(sources.texts[mutation.place.file])
    said = run.stdout + run.stderr
    if "error:" in said and "recorded an issue" not in said and "Test run" not in said:
        verdict = "DOES NOT COMPILE"
    else:
        verdict = "HANGS" if run.returncode == 124 else "red" if run.returncode != 0 else "NOT NOTICED"
    red = sorted({line.split('"')[1] for line in said.splitlines() if "✘ Test \"" in line and "failed" in line})
    for attack in threat_model.unproved(mutation.purpose, mutation.suites, red, named) if verdict == "red" else []:
        verdict = f"red, but NOT PROVED: no test of the row “{attack}” failed"
    print(f"{mutation.number:3} {mutation.purpose}: {verdict}" + (f" ({'; '.join(red)})" if red else ""), flush=True)
    return verdict == "red"


def run(root, mutations, sources):
    """Returns the numbers of the mutations that no test noticed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(root, folder, mutations, sources)
        whole = test(folder)
        if whole.returncode:
            sys.exit("the session machine as it is does not pass:\n" + (whole.stdout + whole.stderr)[-3000:])
        named = threat_model.rows(root)
        return [mutation.number for mutation in mutations if not notices(mutation, folder, sources, named)]
