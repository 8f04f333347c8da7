# SPDX-License-Identifier: Apache-2.0
"""Reads the files `mutations.toml` in Tests and finds their mutations in the sources.

A file stands in the folder of the suites that must fail, or above it, and has a table for each mutation:

    [[mutation]]
    purpose = 'a disabled client gets nothing'
    text = 'guard client.isEnabled else'
    broken = 'guard @ || client.isEnabled else'
    suites = ['DisabledClientTests']

`@` is true while the mutation is active. Two more keys are optional: `in`, the type, function, property or file that
contains the text (see anchors.py), and `report`, what the failing tests must print.

With `package = 'session-machine'` in its head, a file is for session_machine.py: `broken` replaces the text as it is,
without `@`, and `suites` in the head are those of all its mutations.
"""
import dataclasses
import re
import tomllib

import anchors
import threat_model

NAME = "mutations.toml"
PACKAGES = ("session-machine",)
KEYS = {"purpose": str, "text": str, "broken": str, "suites": list, "in": str, "report": str}
REQUIRED = ["purpose", "text", "broken", "suites"]
HEAD = {"package": str, "suites": list, "mutation": list}


class Faults(Exception):
    """Sentences that say what is wrong with the mutations, and what to do."""

    def __init__(self, sentences):
        super().__init__("\n".join(sentences))


@dataclasses.dataclass
class Mutation:
    # Counts the mutations of all files, in the order of their paths.
    number: int
    purpose: str
    text: str
    broken: str
    suites: list
    # The file of Tests that lists this mutation.
    listed: str
    scope: str | None = None
    report: str = ""
    package: str | None = None
    place: anchors.Place | None = None

    def __str__(self):
        return f"{self.listed}: “{self.purpose}”"

    @property
    def is_switched(self):
        """Whether `@` activates the mutation when the tests run; otherwise it is compiled by itself."""
        return self.package is None


def load(root):
    """All mutations, not yet found in the sources."""
    mutations, faults = [], []
    for file in sorted((root / "Tests").rglob(NAME)):
        listed = str(file.relative_to(root))
        try:
            content = tomllib.loads(file.read_text())
        except tomllib.TOMLDecodeError as error:
            faults.append(f"{listed}: not TOML: {error}. Write texts between single quotes, or between three.")
            continue
        head = {key: content[key] for key in content if key not in ("mutation", "package")}
        faults += faults_of(content, HEAD, ["mutation"], listed)
        if content.get("package", PACKAGES[0]) not in PACKAGES:
            faults.append(f"{listed}: there is no package “{content['package']}”. Write one of: {', '.join(PACKAGES)}.")
        for entry in content.get("mutation", []):
            entry = head | entry
            name = f"{listed}: “{entry.get('purpose', '(no purpose)')}”"
            wrong = faults_of(entry, KEYS, REQUIRED, name)
            faults += wrong
            if wrong:
                continue
            mutation = Mutation(
                len(mutations) + 1, entry["purpose"], entry["text"], entry["broken"], entry["suites"], listed, entry.get("in"),
                entry.get("report", ""), content.get("package"))
            if mutation.is_switched and "@" not in mutation.broken:
                faults.append(f"{name}: `broken` has no @. Write @ where the condition belongs that activates the mutation.")
            mutations.append(mutation)
    if faults:
        raise Faults(faults)
    return mutations


def faults_of(table, keys, required, name):
    unknown = [f"{name}: unknown key “{key}”. Known keys: {', '.join(keys)}." for key in table if key not in keys]
    absent = [f"{name}: `{key}` is missing." for key in required if not table.get(key) and not (key == "broken" and key in table)]
    return unknown + absent + [f"{name}: `{key}` must be a {kind.__name__}." for key, kind in keys.items()
                               if key in table and not isinstance(table[key], kind)]


def resolve(mutations, sources, root):
    """Finds each mutation's place. Raises Faults if a text is not in the sources, or occurs more than once."""
    named, faults = threat_model.rows(root), []
    for mutation in mutations:
        places = sources.find(mutation.text, mutation.scope)
        if len(places) == 1:
            mutation.place = places[0]
        else:
            faults.append(f"{mutation}: " + fault_of(mutation, places, sources, named))
    if faults:
        raise Faults(faults)


def fault_of(mutation, places, sources, named):
    if len(places) > 1:
        return (f"its text is in the sources {len(places)} times: {', '.join(sources.line(place) for place in places[:6])}. "
                "Write more of the text, or narrow it with `in`: the name of the type, function or file that contains it.")
    if mutation.scope and not sources.regions(mutation.scope):
        return (f"there is no type, function, property or file “{mutation.scope}” in Sources. "
                "Correct `in`, or remove it if the text is in the sources once.")
    if mutation.scope and (others := sources.find(mutation.text)):
        return f"its text is not in “{mutation.scope}” but in {', '.join(sources.line(place) for place in others[:6])}. Correct `in`."
    attacks = ", ".join(f"“{attack}”" for attack, _ in named.get(mutation.purpose, []))
    remedy = f"or remove the mutation, and its name from docs/threat-model.md, row {attacks}" if attacks else "or remove the mutation"
    return f"its text is no longer in Sources. Write `text` and `broken` anew from the code as it is now, {remedy}. Text: {mutation.text!r}"


def check_suites(mutations, root):
    """Raises Faults if a suite does not exist, or if a mutation is not listed at its first suite."""
    folders = {}
    for file in (root / "Tests").rglob("*.swift"):
        for name in re.findall(r"\b(?:struct|class|enum|actor|extension) (\w+)", file.read_text()):
            folders.setdefault(name, set()).add(str(file.parent.relative_to(root)) + "/")
    faults = []
    for mutation in mutations:
        absent = [suite for suite in mutation.suites if suite not in folders]
        faults += [f"{mutation}: there is no suite “{suite}” in Tests. Correct `suites`." for suite in absent]
        folder = mutation.listed.removesuffix(NAME)
        if not absent and not any(path.startswith(folder) for path in folders[mutation.suites[0]]):
            faults.append(f"{mutation}: its first suite, {mutation.suites[0]}, is in {min(folders[mutation.suites[0]])}. "
                          f"Move the mutation to the file {NAME} of that folder, or of one above it.")
    if faults:
        raise Faults(faults)


def chosen(mutations, words):
    """The mutations that the words select: numbers, ranges of numbers, or parts of a purpose, suite or file."""
    if not words:
        return mutations
    numbers = set()
    for word in words:
        first, _, last = word.partition("-")
        if (first + last).isdigit():
            found = range(int(first), int(last or first) + 1)
            if not found or found[0] < 1 or found[-1] > len(mutations):
                raise Faults([f"{word} is not a number or range from 1 to {len(mutations)}"])
        else:
            found = [mutation.number for mutation in mutations if any(
                word.lower() in text.lower() for text in [mutation.purpose, mutation.listed, mutation.place.file, *mutation.suites])]
            if not found:
                raise Faults([f"no mutation has “{word}” in its purpose, its suites or its files"])
        numbers |= set(found)
    return [mutation for mutation in mutations if mutation.number in numbers]
