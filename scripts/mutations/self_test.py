# SPDX-License-Identifier: Apache-2.0
"""Tests of what scripts/mutations/run refuses, with sources and mutations of their own."""
import pathlib
import tempfile
import unittest

import anchors
import data
import switched

CLIENTS = """struct Clients {
    let all: [String]

    func find(_ name: String) -> String? {
        guard all.contains(name),
            isEnabled else { return nil }
        return name
    }

    private func count(
        of names: [String]
    ) -> Int
    where Self: Sendable {
        guard !names.isEmpty else { return 0 }
        return names.count
    }
}

extension Clients.Key {
    var isEmpty: Bool { all.isEmpty }
    func count() -> Int {
        guard !names.isEmpty else { return 0 }
        return 1
    }
}
"""
CHILD = f"func start() {{ run({switched.CHILD[0]}) }}\n"
MUTATION = """
[[mutation]]
purpose = 'a disabled client gets nothing'
text = 'guard all.contains(name), isEnabled else'
broken = 'guard all.contains(name), @ || isEnabled else'
suites = ['ClientTests']
"""
ROW = "| use a disabled client | refused | `ClientTests: refused` | `a disabled client gets nothing` |\n"


class Mutations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("Sources/Server/Clients.swift", CLIENTS)
        self.write("Sources/Broker/Child.swift", CHILD)
        self.write("Tests/ServerTests/Clients/ClientTests.swift", "@Suite struct ClientTests {}\n")
        self.write("Tests/ServerTests/mutations.toml", MUTATION)
        self.write("docs/threat-model.md", ROW)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def change(self, old, new, path="Tests/ServerTests/mutations.toml"):
        text = (self.root / path).read_text()
        self.assertIn(old, text)
        self.write(path, text.replace(old, new))

    def weakened(self):
        mutations, sources = data.load(self.root), anchors.Sources.of_package(self.root)
        data.resolve(mutations, sources, self.root)
        data.check_suites(mutations, self.root)
        return switched.weakened(mutations, sources)

    def refused(self, *parts):
        """Expects one fault that contains these parts."""
        with self.assertRaises(data.Faults) as caught:
            self.weakened()
        self.assertEqual(len(str(caught.exception).splitlines()), 1, caught.exception)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_a_text_is_found_whatever_its_line_breaks_file_and_target(self):
        expected = CLIENTS.replace("all.contains(name),\n            isEnabled", "all.contains(name), isBroken(1) || isEnabled")
        self.assertEqual(self.weakened()["Sources/Server/Clients.swift"], expected)
        self.write("Sources/Directory/Find.swift", CLIENTS)
        (self.root / "Sources/Server/Clients.swift").unlink()
        self.assertEqual(self.weakened()["Sources/Directory/Find.swift"], expected)

    def test_a_text_that_is_gone_is_refused_with_a_remedy(self):
        self.change("isEnabled else", "isActive else", "Sources/Server/Clients.swift")
        self.refused(
            "Tests/ServerTests/mutations.toml: “a disabled client gets nothing”", "no longer in Sources",
            "Write `text` and `broken` anew", "docs/threat-model.md, row “use a disabled client”")
        self.write("docs/threat-model.md", "")
        self.refused("or remove the mutation. Text")

    def test_words_are_found_whole(self):
        self.change("isEnabled else", "wasEnabled else")
        self.change("isEnabled else", "isNowEnabled else", "Sources/Server/Clients.swift")
        self.change("'guard all.contains(name), wasEnabled else'", "'Enabled else'")
        self.refused("no longer in Sources")

    def test_a_text_that_is_twice_is_refused_with_its_places(self):
        self.change("'guard all.contains(name), isEnabled else'", "'guard !names.isEmpty else'")
        self.refused("2 times", "Sources/Server/Clients.swift:14, Sources/Server/Clients.swift:22", "`in`")

    def test_a_scope_narrows(self):
        self.change("'guard all.contains(name), isEnabled else'", "'guard !names.isEmpty else'\nin = 'Clients.count'")
        lines = self.weakened()["Sources/Server/Clients.swift"].splitlines()
        self.assertIn("isBroken(1)", lines[13])
        self.change("Clients.count", "Key.count")
        self.assertIn("isBroken(1)", self.weakened()["Sources/Server/Clients.swift"].splitlines()[21])
        self.change("Key.count", "count")
        self.refused("2 times")
        self.change("'count'", "'find'")
        self.refused("is not in “find”", "Clients.swift:14", "Correct `in`")
        self.change("'find'", "'Users'")
        self.refused("no type, function, property or file “Users”")

    def test_overlapping_mutations_are_refused(self):
        self.change(MUTATION, MUTATION + MUTATION.replace("a disabled", "each disabled").replace(
            "guard all.contains(name), isEnabled", "contains(name), isEnabled").replace(
                "guard all.contains(name), @ || isEnabled", "contains(name), @ || isEnabled"))
        self.refused("each disabled client", "overlaps")

    def test_a_moved_or_missing_suite_is_refused(self):
        self.change("['ClientTests']", "['UserTests']")
        self.refused("no suite “UserTests”")
        self.write("Tests/UserTests/UserTests.swift", "struct UserTests {}\n")
        self.refused("its first suite, UserTests, is in Tests/UserTests/", "Move the mutation")

    def test_a_file_that_is_not_as_it_should_be_is_refused(self):
        for old, new, fault in [
            ("purpose =", "purpos =", "unknown key “purpos”"), ("text =", "#", "`text` is missing"),
            ("@ || ", "", "has no @"), ("['ClientTests']", "'ClientTests'", "must be a list"), ("'\ntext", "\ntext", "not TOML"),
            ("\n[[mutation]]", "package = 'none'\n[[mutation]]", "no package “none”"),
        ]:
            self.write("Tests/ServerTests/mutations.toml", MUTATION)
            self.change(old, new)
            with self.subTest(fault), self.assertRaises(data.Faults) as caught:
                self.weakened()
            self.assertIn(fault, str(caught.exception))

    def test_mutations_are_chosen_by_number_range_or_text(self):
        self.change(MUTATION, MUTATION + MUTATION.replace("a disabled", "a removed"))
        mutations = data.load(self.root)
        data.resolve(mutations, anchors.Sources.of_package(self.root), self.root)
        for words, numbers in [([], [1, 2]), (["2"], [2]), (["1-2"], [1, 2]), (["REMOVED"], [2]), (["ClientTests"], [1, 2])]:
            self.assertEqual([mutation.number for mutation in data.chosen(mutations, words)], numbers)
        for word in ["0", "3", "2-1", "nothing-like-this"]:
            self.assertRaises(data.Faults, data.chosen, mutations, [word])
