// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Holds the threat model and the security review to what is there: each of their rows names a test, and a defence a file.
@Suite struct ReviewTests {
    private struct Page {
        let name: String
        let text: String

        init(_ name: String) throws {
            self.name = name
            text = try String(contentsOfFile: Repository.root + "/docs/" + name, encoding: .utf8)
        }

        /// The rows of the tables whose head has a column of tests.
        var rows: [String] {
            var rows: [String] = []
            var isTested = false
            for line in text.components(separatedBy: "\n") {
                if !line.hasPrefix("|") { isTested = false }
                if isTested, !line.hasPrefix("|---") { rows.append(line) }
                if line.hasPrefix("|"), line.hasSuffix("| test |") { isTested = true }
            }
            return rows
        }
    }

    /// The source text of every file of tests.
    private static func sources() throws -> [String] {
        let root = Repository.root + "/Tests"
        let files = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
        return try files.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOfFile: "\(root)/\($0)", encoding: .utf8)
        }
    }

    /// What of a row names no test that is there, and no file.
    private static func faults(_ row: String, _ sources: [String]) -> [String] {
        let quoted = row.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        let tests = quoted.filter { $0.contains(": ") && $0.first?.isUppercase == true }
        var faults = tests.isEmpty ? ["names no test: \(row)"] : []
        for test in tests {
            let parts = test.split(separator: ": ", maxSplits: 1).map(String.init)
            let isThere = sources.contains { source in
                source.contains(" \(parts[0])") && source.contains("func `\(parts[1])`")
            }
            if !isThere { faults.append("no such test: \(test)") }
        }
        for file in quoted where file.hasPrefix("Sources/") {
            let path = "\(Repository.root)/\(file)"
            if !FileManager.default.fileExists(atPath: path) { faults.append("no such file: \(file)") }
        }
        return faults
    }

    @Test(arguments: [("threat-model.md", 50), ("security-review.md", 50)])
    func `every row names a test that is there, and every defence a file that is there`(
        name: String, least: Int
    ) throws {
        let (page, sources) = (try Page(name), try Self.sources())
        #expect(page.rows.count >= least)
        for row in page.rows { #expect(Self.faults(row, sources).isEmpty, "\(Self.faults(row, sources))") }
    }

    @Test func `a row that names nothing, or what is not there, is noticed`() throws {
        let sources = try Self.sources()
        let good = "`ReviewTests: a row that names nothing, or what is not there, is noticed`"
        #expect(Self.faults("| a | b: `Sources/Redaction/SecretBytes.swift` | \(good) |", sources).isEmpty)
        for bad in [
            "| a | b |", "| a | `ReviewTests: there is no such test` |", "| a | `NoSuchTests: \(good.dropFirst(14)) |",
            "| a | `Sources/None.swift` | \(good) |",
        ] {
            #expect(!Self.faults(bad, sources).isEmpty, "\(bad)")
        }
    }
}
