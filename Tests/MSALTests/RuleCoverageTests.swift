// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Checks docs/reference/msal-rules.md, which lists the numbered rules of Microsoft's library and the tests of each
/// rule.
@Suite struct RuleCoverageTests {
    /// A row of docs/reference/msal-rules.md.
    private struct Rule {
        let id: String
        /// The last column: the tests of the rule, a link to the differences, or why it is left out.
        let held: String

        /// Whether the rule is about a name that the module leaves out.
        var isLeftOut: Bool { held.hasPrefix("left out: ") }
        var differs: Bool { held.hasPrefix("[differs](differences.md)") }
        /// The tests, each as `Suite: name`.
        var tests: [String] { held.matches(of: #/`([^`]+)`/#).map { String($0.output.1) } }
    }

    private static let folders = [
        "Tests/MSALTests", "Tests/IntegrationTests", "Tests/IdentityPlatformTests/Token",
        "Tests/BrokerTests/SessionProcess", "Tests/BrokerTests/Session",
    ]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: URL(filePath: Repository.root + "/" + path), encoding: .utf8)
    }

    private static func rules() throws -> [Rule] {
        try text("docs/reference/msal-rules.md").split(separator: "\n").compactMap { row in
            let cells = row.dropFirst(2).dropLast(2).split(separator: " | ")
            guard cells.count == 3, cells[0].wholeMatch(of: #/[A-Z]+-[0-9]+/#) != nil else { return nil }
            return Rule(id: String(cells[0]), held: String(cells[2]))
        }
    }

    /// Returns everything in a text that has the form of a rule's id.
    private static func ids(in text: String) -> Set<String> {
        Set(text.matches(of: #/[A-Z]+-[0-9]+/#).map { String($0.output) })
    }

    /// Returns the test files by suite, which is the file's name.
    private static func suites(in folders: [String] = folders) throws -> [String: URL] {
        var found: [String: URL] = [:]
        for folder in folders {
            let root = URL(filePath: Repository.root + "/" + folder).resolvingSymlinksInPath()
            let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("/.build/") {
                found[file.deletingPathExtension().lastPathComponent] = file
            }
        }
        return found
    }

    /// Returns the ids in the names of tests.
    private static func tested() throws -> Set<String> {
        var found: Set<String> = []
        for file in try suites().values {
            let source = try String(contentsOf: file, encoding: .utf8)
            for name in source.matches(of: #/func `([^`]+)`/#) { found.formUnion(ids(in: String(name.output.1))) }
        }
        return found
    }

    /// Returns the ids in the first column of docs/reference/differences.md.
    private static func different() throws -> Set<String> {
        let rows = try text("docs/reference/differences.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        return ids(in: rows.compactMap { $0.split(separator: "|").first }.joined(separator: " "))
    }

    @Test func `every rule is named by a test or by a row of docs differences md`() throws {
        let known = try Self.tested().union(Self.different())
        let rules = try Self.rules()
        #expect(rules.count > 120)
        #expect(rules.filter { !$0.isLeftOut && !known.contains($0.id) }.map(\.id) == [])
    }

    /// Returns the errors in the last column of these rules.
    private static func faults(_ rules: [Rule]) throws -> [String] {
        let (suites, different) = (try suites(), try different())
        var faults: [String] = []
        for rule in rules {
            if rule.tests.isEmpty, !rule.differs, !rule.isLeftOut { faults.append("\(rule.id) is held by nothing") }
            if rule.differs != different.contains(rule.id) {
                faults.append("\(rule.id): the page and docs/reference/differences.md disagree")
            }
            for test in rule.tests {
                let parts = test.split(separator: ": ", maxSplits: 1).map(String.init)
                let source = try parts.first.flatMap { suites[$0] }.map { try String(contentsOf: $0, encoding: .utf8) }
                if source?.contains("func `\(parts.last ?? "")`") != true { faults.append("no such test: \(test)") }
                if !ids(in: test).contains(rule.id) { faults.append("\(test) does not name \(rule.id)") }
            }
        }
        return faults
    }

    @Test func `every rule of docs msal-rules md names an existing test, or differs`() throws {
        let rules = try Self.rules()
        #expect(Set(rules.map(\.id)).count == rules.count)
        #expect(try Self.faults(rules) == [])
    }

    @Test(arguments: [
        "", "[differs](differences.md)", "`TokenTests: CUR-3 there is no such test`",
        "`CurrentAccountTests: CUR-6 current and previous account are those that the broker reports`",
    ])
    func `a rule that names no test, or a missing one, is detected`(held: String) throws {
        #expect(try Self.faults([Rule(id: "CUR-3", held: held)]) != [])
    }

    /// Returns the ids in a text that begin like a rule's id but are not rules.
    private static func unknown(in text: String, _ rules: Set<String>) -> [String] {
        let families = Set(rules.map { $0.prefix { $0 != "-" } })
        return ids(in: text).filter { id in families.contains(id.prefix { $0 != "-" }) && !rules.contains(id) }.sorted()
    }

    @Test func `every rule that sources, tests and docs cite is in docs msal-rules md`() throws {
        let rules = Set(try Self.rules().map(\.id))
        var files = 0
        for folder in ["Sources", "Tests", "docs", "Examples"] {
            // `scripts/stress/races` builds in a folder whose entries are symbolic links.
            let root = URL(filePath: Repository.root + "/" + folder).resolvingSymlinksInPath()
            let found = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
            for case let file as URL in found where ["swift", "md"].contains(file.pathExtension) {
                if file.path.contains("/.build/") || file.lastPathComponent == "RuleCoverageTests.swift" { continue }
                let unknown = Self.unknown(in: try String(contentsOf: file, encoding: .utf8), rules)
                #expect(unknown == [], "\(file.path)")
                files += 1
            }
        }
        #expect(files > 1000)
        #expect(Self.unknown(in: "as CUR-6 and CUR-99 say, in UTF-8", rules) == ["CUR-99"])
    }

    @Test func `every row names its test, and that test exists`() throws {
        let rows = try Self.text("docs/reference/differences.md").split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| rule |")
        }
        #expect(rows.count > 40)
        // Rows about the broker name tests in other targets.
        let suites = try Self.suites(in: ["Tests"] + Self.folders)
        for row in rows {
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            try #require(cells.count == 6, "\(row)")
            let named = cells[4].matches(of: #/`([A-Za-z]+Tests)`/#)
            // A script tests some rows. No test can show names that are left out or log lines that are dropped (`-`).
            #expect(!named.isEmpty || cells[4].contains("`scripts/") || cells[4] == " - ", "\(row)")
            for suite in named { #expect(suites[String(suite.output.1)] != nil, "\(suite.output.1)") }
        }
    }
}
