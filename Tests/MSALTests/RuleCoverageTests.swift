// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Each numbered rule is named by a test, or by a row of the page on differences.
@Suite struct RuleCoverageTests {
    private static let folders = [
        "Tests/MSALTests", "Tests/IntegrationTests",
        "Tests/BrokerTests/SessionProcess", "Tests/BrokerTests/Session",
    ]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: URL(filePath: Repository.root + "/" + path), encoding: .utf8)
    }

    /// The ids of `rules.txt`, such as `CUR-6`.
    private static func rules() throws -> [String] {
        try text("Tests/MSALTests/rules.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }.flatMap { line in
            let words = line.split(separator: " ")
            return words.dropFirst().map { "\(words[0])-\($0)" }
        }
    }

    /// The ids in a text.
    private static func ids(in text: String) -> Set<String> {
        Set(text.matches(of: #/[A-Z]+-[0-9]+/#).map { String($0.output) })
    }

    /// The files of tests, by suite.
    private static func suites() throws -> [String: URL] {
        var found: [String: URL] = [:]
        for folder in folders {
            let root = URL(filePath: Repository.root + "/" + folder)
            let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                found[file.deletingPathExtension().lastPathComponent] = file
            }
        }
        return found
    }

    /// The ids in the names of tests.
    private static func tested() throws -> Set<String> {
        var found: Set<String> = []
        for file in try suites().values {
            let source = try String(contentsOf: file, encoding: .utf8)
            for name in source.matches(of: #/func `([^`]+)`/#) { found.formUnion(ids(in: String(name.output.1))) }
        }
        return found
    }

    /// The ids in the first cells of the page's table.
    private static func different() throws -> Set<String> {
        let rows = try text("docs/differences.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        return ids(in: rows.compactMap { $0.split(separator: "|").first }.joined(separator: " "))
    }

    @Test func `every rule is named by a test or by a row of docs differences md`() throws {
        let known = try Self.tested().union(Self.different())
        let rules = try Self.rules()
        #expect(rules.count > 120)
        #expect(rules.filter { !known.contains($0) } == [])
    }

    @Test func `every row names its test, and that test is there`() throws {
        let rows = try Self.text("docs/differences.md").split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(
            2)
        #expect(rows.count > 40)
        let suites = try Self.suites()
        for row in rows {
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            try #require(cells.count == 6, "\(row)")
            let named = cells[4].matches(of: #/`([A-Za-z]+Tests)`/#)
            // A script holds some; of names that are left out, and of lines that are, nothing is to be seen.
            #expect(!named.isEmpty || cells[4].contains("`scripts/") || cells[4] == " - ", "\(row)")
            for suite in named { #expect(suites[String(suite.output.1)] != nil, "\(suite.output.1)") }
        }
    }
}
