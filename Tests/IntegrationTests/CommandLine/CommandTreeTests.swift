// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite struct CommandTreeTests {
    @Test(arguments: ["baton", "baton-dev"])
    func `every command can print JSON for programs, even errors in the command line`(name: String) async throws {
        try await Scratch.with { scratch in
            let dump = try await CommandRun(["--experimental-dump-help"], of: name, in: scratch)
            let tree = try JSONDecoder().decode(CommandTree.self, from: Data(dump.output.utf8))
            let leaves = tree.command.leaves()
            let forDevelopers = leaves.map(\.description).filter { ["up", "run-app", "demo"].contains($0) }
            #expect(name == "baton" ? leaves.count > 30 && forDevelopers.isEmpty : forDevelopers.count == 3)
            for leaf in leaves {
                #expect(leaf.options.contains("json"), "\(name) \(leaf) has no --json")
                #expect(leaf.isExplained, "\(name) \(leaf) --help leaves something unsaid")
                let wrong = try await CommandRun(leaf.words + ["--json", "--no-such-option"], of: name, in: scratch)
                #expect(wrong.code == 64 && wrong.output.isEmpty, "\(name) \(leaf) says \(wrong)")
                let error = try CommandRun.Failure(wrong.errors).error
                #expect(error.code == "command_line" && error.remedy == "See: \(name) --help.", "\(name) \(leaf)")
            }
        }
    }

    @Test func `a demonstration whose last check is impossible does not begin`() async throws {
        try await Scratch.with { scratch in
            let live = scratch.path("w")
            let arguments = ["demo", "--json", "--directory", live, "--canary", "/usr/bin/false"]
            let demo = try await CommandRun(
                arguments + ["--sample", "/usr/bin/true", "--ward-round", "/usr/bin/true"], of: "baton-dev", in: scratch
            )
            #expect(demo.code == 1 && demo.output.isEmpty)
            #expect(try CommandRun.Failure(demo.errors).error.code == "memory_unreadable")
            #expect(!FileManager.default.fileExists(atPath: live))
        }
    }

    @Test func `a command that gets no answer reports this in words or JSON, with exit code 69`() async throws {
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

    @Test func `client add warns of an address that other apps can claim, and explains a refusal`()
        async throws
    {
        try await Scratch.with { scratch in
            let server = try ServerProcess(in: scratch)
            try await server.start()
            _ = try server.create("tenants", ["displayName": "C", "domain": "c.test"])
            func add(_ uri: String, _ more: [String] = []) async throws -> CommandRun {
                try await CommandRun(
                    ["admin", "client", "add", "--server", server.state, "--name", "App", "--redirect-uri", uri] + more,
                    in: scratch)
            }
            let good = try await add("com.example.app:/oauth2redirect")
            #expect(good.code == 0 && good.errors.isEmpty && good.output.hasPrefix("App is registered: client "))
            let warned = try await add("myapp://cb")
            #expect(warned.code == 0 && warned.output.hasPrefix("App is registered: client "))
            #expect(warned.errors.hasPrefix("warning: Any other app may claim the scheme myapp."))
            let json = try await add("myapp://cb", ["--json"])
            #expect(json.code == 0 && json.errors.isEmpty && json.output.contains(#""warnings":["Any other app"#))
            let refused = try await add("http://evil.example/cb")
            #expect(refused.code != 0 && refused.output.isEmpty)
            #expect(refused.errors.contains("http://evil.example/cb would get codes unencrypted"))
            #expect(refused.errors.contains("[identity.client.redirect]"), "\(refused.errors)")
        }
    }
}
