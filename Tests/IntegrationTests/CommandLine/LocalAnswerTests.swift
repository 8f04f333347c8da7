// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TestSupport
import Testing

/// What `baton admin` says and does without, or before, an answer of a real server.
@Suite(.timeLimit(.minutes(5))) struct LocalAnswerTests {
    @Test(arguments: [false, true])
    func `an enrollment profile is made only if its file is new and can be written`(exists: Bool) async throws {
        try await Scratch.with { scratch in
            let calls = Mutex(0)
            let server = try await FakeServer(nil, socket: scratch.path("admin.sock")) { _ in
                calls.withLock { $0 += 1 }
                return .json(#"{"id":"e","name":"x","profile":"bmV3"}"#, status: 201)
            }
            let file = exists ? try scratch.write("the only key", to: "a.mobileconfig") : scratch.path("none/a")
            let words = ["admin", "device", "add", "x", "--output", file, "--server", scratch.path, "--json"]
            let refused = try await CommandRun(words, in: scratch)
            #expect(refused.code == 1, "\(refused)")
            #expect(
                try CommandRun.Failure(refused.errors).error.code == (exists ? "export_exists" : "file_not_written"))
            #expect(calls.withLock(\.self) == 0)
            if exists { #expect(try textOfFile(file) == "the only key") }

            let other = scratch.path("b.mobileconfig")
            let run = try await CommandRun(
                ["admin", "device", "add", "x", "--output", other, "--server", scratch.path], in: scratch)
            #expect(run.code == 0, "\(run)")
            #expect(try textOfFile(other) == "new" && calls.withLock(\.self) == 1)
            let attributes = try FileManager.default.attributesOfItem(atPath: other)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            withExtendedLifetime(server) {}
        }
    }

    @Test func `a user who may not use the socket is told who may`() async throws {
        try await Scratch.with { scratch in
            let server = try await FakeServer(nil, socket: scratch.path("admin.sock")) { _ in .reply(403, [], "") }
            let run = try await CommandRun(["admin", "user", "list", "--server", scratch.path, "--json"], in: scratch)
            let refusal = try CommandRun.Failure(run.errors).error
            #expect(run.code == 1 && refusal.code == "socket_refused", "\(run)")
            #expect(refusal.message.contains("root") && refusal.remedy.contains("--url"), "\(refusal)")
            withExtendedLifetime(server) {}
        }
    }

    private static let escape = "x\u{1b}[31m\u{9b}\u{202e}"

    @Test(arguments: [
        ["user", "list", "--server", escape], ["user", "list", "--url", "https://localhost:1", "--ca", escape],
        ["audit", "export", "--from", "2026-01-01", "--server", "/nonexistent", "--output", "/nonexistent/" + escape],
        ["device", "add", "x", "--server", "/nonexistent", "--output", "/nonexistent/" + escape],
        ["user", "list", escape], ["audit", "list", "--count", escape], [escape],
        ["profile", "add", "--server", "/nonexistent", "--file", escape],
    ])
    func `control characters of the arguments do not reach the terminal`(words: [String]) async throws {
        try await Scratch.with { scratch in
            let run = try await CommandRun(["admin"] + words, in: scratch)
            #expect(run.code != 0 && run.errors.contains(#"x\u{1b}[31m\u{9b}\u{202e}"#), "\(run)")
            #expect(!run.errors.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
        }
    }

    @Test func `control characters of the arguments do not reach the terminal if the command succeeds`()
        async throws
    {
        try await Scratch.with { scratch in
            let server = try await FakeServer(nil, socket: scratch.path("admin.sock")) { _ in
                .json(#"{"id":"e","name":"x","profile":"bmV3"}"#, status: 201)
            }
            let run = try await CommandRun(
                ["admin", "device", "add", "x", "--output", scratch.path(Self.escape), "--server", scratch.path],
                in: scratch)
            #expect(run.code == 0 && run.output.contains(#"/x\u{1b}[31m"#), "\(run)")
            #expect(!run.output.contains("\u{1b}") && run.output.hasSuffix("\n"), "\(run)")
            withExtendedLifetime(server) {}
        }
    }
}
