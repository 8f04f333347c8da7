// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite struct CommandTreeTests {
    @Test func `every command prints JSON for programs when asked, errors in the command line included`() async throws {
        try await Scratch.with { scratch in
            let dump = try await CommandRun(["--experimental-dump-help"], in: scratch)
            let tree = try JSONDecoder().decode(CommandTree.self, from: Data(dump.output.utf8))
            let leaves = tree.command.leaves()
            #expect(leaves.count > 30)
            #expect(leaves.contains { $0.words == ["up"] } && leaves.contains { $0.words == ["demo"] })
            for leaf in leaves {
                #expect(leaf.options.contains("json"), "baton \(leaf) has no --json")
                #expect(leaf.isExplained, "baton \(leaf) --help leaves something unsaid")
                let wrong = try await CommandRun(leaf.words + ["--json", "--no-such-option"], in: scratch)
                #expect(wrong.code == 64 && wrong.output.isEmpty, "baton \(leaf) says \(wrong)")
                #expect(try CommandRun.Failure(wrong.errors).error.code == "command_line", "baton \(leaf)")
            }
        }
    }

    @Test func `a story whose last check could not be made does not begin`() async throws {
        try await Scratch.with { scratch in
            let live = scratch.path("w")
            let arguments = ["demo", "--json", "--directory", live, "--canary", "/usr/bin/false"]
            let demo = try await CommandRun(
                arguments + ["--sample", try RunningProgram.built("baton")], in: scratch)
            #expect(demo.code == 1 && demo.output.isEmpty)
            #expect(try CommandRun.Failure(demo.errors).error.code == "memory_unreadable")
            #expect(!FileManager.default.fileExists(atPath: live))
        }
    }

    @Test func `whom nobody answers says so in words or JSON, with exit code 69`() async throws {
        try await Scratch.with { scratch in
            let server = ["--server", scratch.path("none")]
            let plain = try await CommandRun(["admin", "user", "list"] + server, in: scratch)
            #expect(plain.code == 69 && plain.output.isEmpty && plain.errors.contains("[server_unreachable]"))
            let json = try await CommandRun(["admin", "user", "list", "--json"] + server, in: scratch)
            #expect(json.code == 69 && json.output.isEmpty)
            #expect(try CommandRun.Failure(json.errors).error.code == "server_unreachable")
            let device = ["device", "status", "--json", "--runtime-directory", scratch.path("none")]
            let broker = try await CommandRun(device, in: scratch)
            #expect(broker.code == 69 && broker.output.isEmpty)
            #expect(try CommandRun.Failure(broker.errors).error.code == "broker_unreachable")
        }
    }
}
