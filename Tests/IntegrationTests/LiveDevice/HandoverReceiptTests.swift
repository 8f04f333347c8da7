// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

extension LiveDevice {
    /// Receipts of a real device, which the command line verifies as it would on another machine.
    @Suite struct HandoverReceiptTests {
        private struct Report: Decodable {
            struct Fault: Decodable { let code: String }
            let intact: Bool
            let signer: String
            let last: Int
            let anchoredUpTo: Int?
            let faults: [Fault]
        }

        private struct Shown: Decodable {
            struct Item: Decodable {
                let name: String
                let result: String
            }
            let subject: String
            let trigger: String
            let accessTokens: Int
            let finished: Int
            let items: [Item]

            private enum CodingKeys: String, CodingKey {
                case subject, trigger, finished, items
                case accessTokens = "access_tokens_end_by"
            }
        }

        @Test func `a device's receipts can be verified on another machine, up to the newest anchor`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            _ = try await app.token(of: amara)
            try await app.signOut(amara)
            try await live.settle()
            try await live.receiptsAreAnchored()

            let lines = try await live.baton("receipt", "export", "--state", live.path("device"))
            try lines.write(toFile: live.path("receipts.jsonl"), atomically: false, encoding: .utf8)
            try await live.baton("admin", "receipt", "trust", "--server", live.path("server"))
                .write(toFile: live.path("trust.json"), atomically: false, encoding: .utf8)
            let report = try await verify(live)
            #expect(report.intact && report.signer == "certified")
            #expect(report.anchoredUpTo == report.last)

            let text = try await live.baton(
                "receipt", "show", String(report.last), "--json", "--file", live.path("receipts.jsonl"))
            let shown = try JSONDecoder().decode(Shown.self, from: Data(text.utf8))
            #expect(shown.trigger == "app")
            let items = Set(shown.items.map(\.name))
            #expect(items.isSuperset(of: ["session_key", "session_process", "browser", "files"]))
            #expect(shown.items.allSatisfy { !$0.name.hasPrefix("session") || $0.result == "done" })
            // Access tokens of a shared device are valid for ten minutes.
            #expect((1...600).contains(shown.accessTokens - shown.finished))
            let resolved = try await live.baton(
                "admin", "receipt", "resolve", shown.subject, "--server", live.path("server"))
            #expect(resolved.contains(try live.person("Amara").userName))
            let name = try live.person("Amara").userName
            #expect(!lines.contains("Amara") && !lines.contains(name))

            // If the last receipt and the anchors are removed, the server's records show that the file was shortened.
            var rest = lines.split(separator: "\n").filter { !$0.contains("baton.receipt-anchor") }
            rest.removeAll { $0.contains("\"sequence\":\(report.last),") }
            try rest.joined(separator: "\n").write(
                toFile: live.path("receipts.jsonl"), atomically: false, encoding: .utf8)
            let cut = try await verify(live)
            #expect(cut.faults.map(\.code) == ["cut"])
        }

        private func verify(_ live: LiveEnvironment) async throws -> Report {
            let text = try await live.baton(
                "receipt", "verify", "--json", "--file", live.path("receipts.jsonl"), "--trust",
                live.path("trust.json"), mayFail: true)
            return try JSONDecoder().decode(Report.self, from: Data(text.utf8))
        }

        @Test func `receipts that were written while the server was unreachable are anchored later`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            try await live.kill(.server)
            try await app.signOut(amara)
            try await live.settle()
            #expect(try live.anchored < live.receipts)
            try await live.start(.server)
            try await live.receiptsAreAnchored()
        }
    }
}

extension LiveEnvironment {
    /// Runs `baton` and returns its output.
    @discardableResult
    func baton(_ words: String..., mayFail: Bool = false) async throws -> String {
        try await Scratch.with { scratch in
            let run = try await CommandRun(words, in: scratch)
            guard run.code == 0 || mayFail else { throw TestProblem("baton \(words): \(run.errors)") }
            return run.output
        }
    }

    /// The number of the newest receipt.
    var receipts: Int {
        get throws { try Self.numbers(path("device/receipts/end.json")).max() ?? 0 }
    }

    /// The number of statements that the device has written about its receipt keys.
    var receiptStatements: Int {
        get throws { try textOfFile(path("device/receipts/keys.jsonl")).split(separator: "\n").count }
    }

    /// Makes the device look as if it had never written a receipt. The broker must not be running.
    func forgetReceipts() throws {
        try FileManager.default.removeItem(atPath: path("device/receipts"))
        for name in try names(in: "device/keys") where name.hasPrefix("receipt.") {
            try FileManager.default.removeItem(atPath: path("device/keys/" + name))
        }
    }

    /// The number of the newest receipt that the server countersigned.
    var anchored: Int {
        get throws { try Self.numbers(path("device/receipts/anchors.jsonl")).max() ?? 0 }
    }

    /// Waits until the server has countersigned the newest receipt.
    func receiptsAreAnchored() async throws {
        try await FolderWatch(path("device/receipts")).until("anchored") { [self] in try anchored == receipts }
    }

    private static func numbers(_ file: String) throws -> [Int] {
        struct Line: Decodable { let sequence: Int }
        guard FileManager.default.fileExists(atPath: file) else { return [] }
        return try textOfFile(file).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8)).sequence
        }
    }
}
