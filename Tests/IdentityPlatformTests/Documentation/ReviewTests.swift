// SPDX-License-Identifier: Apache-2.0
import Foundation
import Subprocess
import TestSupport
import Testing

/// Checks the threat model and the security review against the code. Each row must name an existing test. For each row
/// of the threat model, there must also be a mutation that removes its defence.
@Suite struct ReviewTests {
    private struct Page {
        let name: String
        let text: String

        init(_ name: String) throws {
            self.name = name
            text = try String(contentsOfFile: Repository.root + "/docs/" + name, encoding: .utf8)
        }

        /// The rows of the tables that have a column of tests.
        var rows: [String] {
            var rows: [String] = []
            var isTested = false
            for line in text.components(separatedBy: "\n") {
                if !line.hasPrefix("|") { isTested = false }
                if isTested, !line.hasPrefix("|---") { rows.append(line) }
                if line.hasPrefix("|"), line.contains("| test |") { isTested = true }
            }
            return rows
        }
    }

    /// Returns the texts of the test files, keyed by the names of the tests in them.
    private static func sources() throws -> [String: [String]] {
        let root = Repository.root + "/Tests"
        let files = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
        var sources: [String: [String]] = [:]
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
            for function in text.components(separatedBy: "func `").dropFirst() {
                sources[String(function.prefix { $0 != "`" }), default: []].append(text)
            }
        }
        return sources
    }

    /// Returns the parts of a text that are between backticks.
    private static func quoted(_ text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// Returns an error for each test or file that a row names and that does not exist.
    private static func faults(_ row: String, _ sources: [String: [String]]) -> [String] {
        let quoted = quoted(row)
        let tests = quoted.filter { $0.contains(": ") && $0.first?.isUppercase == true }
        var faults = tests.isEmpty ? ["names no test: \(row)"] : []
        for test in tests {
            let parts = test.split(separator: ": ", maxSplits: 1).map(String.init)
            let isThere = sources[parts[1]]?.contains { $0.contains(" \(parts[0])") }
            if isThere != true { faults.append("no such test: \(test)") }
        }
        for file in quoted where file.hasPrefix("Sources/") {
            let path = "\(Repository.root)/\(file)"
            if !FileManager.default.fileExists(atPath: path) { faults.append("no such file: \(file)") }
        }
        return faults
    }

    /// An entry in a file `mutations.toml`: a change that removes a defence.
    private struct Mutation: Decodable {
        /// The purpose of the defence.
        let sentence: String
        let file: String
        /// The suites that run against the mutation.
        let suites: Set<String>
    }

    private static func mutations() async throws -> [Mutation] {
        let listing = try await run(
            .name("python3"), arguments: ["\(Repository.root)/scripts/mutations/run", "--json"],
            output: .bytes(limit: 4 << 20), error: .string(limit: 1 << 16))
        try #require(listing.terminationStatus.isSuccess, "\(listing.standardError)")
        return try JSONDecoder().decode([Mutation].self, from: Data(listing.standardOutput))
    }

    /// The text with which the column of mutations begins in a row whose defence is not our code. The reason follows
    /// this text.
    private static let noMutation = "none: "

    /// Returns an error if a row does not prove that its defence is needed. A row proves this if one of its tests runs
    /// against a mutation of one of its files.
    private static func proofFaults(_ row: String, _ mutations: [Mutation]) -> [String] {
        let cells = row.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        guard cells.count == 4 else { return ["has no column of mutations: \(row)"] }
        guard !cells[3].hasPrefix(noMutation) else { return [] }
        let files = quoted(cells[1]).filter { $0.hasPrefix("Sources/") }
        let suites = Set(quoted(cells[2]).compactMap { $0.split(separator: ": ").first.map(String.init) })
        let sentences = quoted(cells[3])
        var faults = files.isEmpty ? ["names no file: \(row)"] : []
        if sentences.isEmpty { faults.append("names no mutation: \(row)") }
        for sentence in sentences {
            let named = mutations.filter { $0.sentence == sentence }
            if named.isEmpty { faults.append("no such mutation: \(sentence)") }
            for mutation in named {
                if !files.contains(where: { mutation.file == $0 || mutation.file.hasPrefix($0 + "/") }) {
                    faults.append("does not name \(mutation.file): \(row)")
                }
                if mutation.suites.isDisjoint(with: suites) {
                    faults.append("no test of the row runs against “\(sentence)”: \(row)")
                }
            }
        }
        return faults
    }

    @Test func `every row of the threat model names the mutation that removes its defence`() async throws {
        let (page, mutations) = (try Page("threat-model.md"), try await Self.mutations())
        for row in page.rows {
            let faults = Self.proofFaults(row, mutations)
            #expect(faults.isEmpty, "\(faults)")
        }
        #expect(page.rows.count { $0.contains("| \(Self.noMutation)") } < 5)
    }

    @Test func `a row without a mutation, or with an unrelated one, is detected`() async throws {
        let mutations = try await Self.mutations()
        let (file, test) = (
            "`Sources/IdentityPlatform/Credentials/Passwords/Passwords.swift`", "`PasswordTests: a name`"
        )
        let mutation = "`a hash with another cost is replaced`"
        #expect(Self.proofFaults("| a | b: \(file) | \(test) | \(mutation) |", mutations).isEmpty)
        let folder = "`Sources/IdentityPlatform/Credentials/Passwords`"
        #expect(Self.proofFaults("| a | b: \(folder) | \(test) | \(mutation) |", mutations).isEmpty)
        #expect(Self.proofFaults("| a | b | \(test) | none: the kernel refuses |", mutations).isEmpty)
        for bad in [
            "| a | b: \(file) | \(test) |", "| a | b: \(file) | \(test) |  |", "| a | b: \(file) | \(test) | none |",
            "| a | b | \(test) | \(mutation) |", "| a | b: \(file) | \(test) | `there is no such mutation` |",
            "| a | b: `Sources/Redaction/SecretBytes.swift` | \(test) | \(mutation) |",
            "| a | b: \(file) | `ReviewTests: a name` | \(mutation) |",
            "| a | b: \(file) | \(test) | \(mutation), `an unlock token is sealed` |",
        ] {
            #expect(!Self.proofFaults(bad, mutations).isEmpty, "\(bad)")
        }
    }

    /// A step names its file by the end of its path, which must be unique.
    @Test func `every step of the paths in the architecture page names one existing file`() throws {
        let root = Repository.root + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: root)).compactMap { "/Sources/\($0)" }
        let named = try Page("architecture.md").text.matches(of: /`([\w\/+.-]+\.swift)`/).map { String($0.output.1) }
        #expect(named.count > 90)
        for name in named { #expect(files.count { $0.hasSuffix("/" + name) } == 1, "\(name)") }
    }

    @Test(arguments: [("threat-model.md", 50), ("security-review.md", 50)])
    func `every row names an existing test, and every defence an existing file`(
        name: String, least: Int
    ) throws {
        let (page, sources) = (try Page(name), try Self.sources())
        #expect(page.rows.count >= least)
        for row in page.rows { #expect(Self.faults(row, sources).isEmpty, "\(Self.faults(row, sources))") }
    }

    @Test func `a row that names no test, or a missing test or file, is detected`() throws {
        let sources = try Self.sources()
        let good = "`ReviewTests: a row that names no test, or a missing test or file, is detected`"
        #expect(Self.faults("| a | b: `Sources/Redaction/SecretBytes.swift` | \(good) |", sources).isEmpty)
        for bad in [
            "| a | b |", "| a | `ReviewTests: there is no such test` |", "| a | `NoSuchTests: \(good.dropFirst(14)) |",
            "| a | `Sources/None.swift` | \(good) |",
        ] {
            #expect(!Self.faults(bad, sources).isEmpty, "\(bad)")
        }
    }
}
