# SPDX-License-Identifier: Apache-2.0
"""Reads which mutations the rows of docs/threat-model.md name."""
import re


def rows(root):
    """The rows of the threat model (attack and tests), by the sentences of the mutations that they name."""
    named = {}
    for line in (root / "docs/threat-model.md").read_text().splitlines():
        cells = line[2:-2].split(" | ")
        if len(cells) == 4 and line.startswith("| "):
            tests = [test.partition(": ")[::2] for test in re.findall("`([^`]*: [^`]*)`", cells[2])]
            for sentence in re.findall("`([^`]*)`", cells[3]):
                named.setdefault(sentence, []).append((cells[0], tests))
    return named


def unproved(sentence, names, red, named):
    """The rows that name the mutation and have no failed test. Counts only tests whose suites have run."""
    return [attack for attack, tests in named.get(sentence, [])
            if any(suite in names for suite, _ in tests) and not any(test in red for _, test in tests)]
