// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
import DeviceSettings
import Files
import Foundation
import TestSupport
import Testing

/// `baton receipt` on a device without receipts, and on folders and files that contain no readable receipt.
@Suite struct ReceiptCommandTests {
    private static let verbs = [["list"], ["show", "1"], ["export"], ["verify"]]

    @Test(arguments: verbs)
    func `a folder without a device's state is an error, not an empty list`(verb: [String]) async throws {
        try await Scratch.with { scratch in
            try Directory(path: scratch.path("empty")).make()
            for name in ["missing", "empty"] {
                let run = try await CommandRun(
                    ["receipt"] + verb + ["--json", "--state", scratch.path(name)], in: scratch)
                #expect(run.code == 1 && run.output.isEmpty, "\(name): \(run)")
                let error = try CommandRun.Failure(run.errors).error
                #expect(error.code == "state_missing" && error.remedy.contains("BATON_STATE"))
            }
            let file = try scratch.write("no folder", to: "file")
            let run = try await CommandRun(["receipt"] + verb + ["--json", "--state", file], in: scratch)
            #expect(run.code == 1 && run.output.isEmpty)
            #expect(try CommandRun.Failure(run.errors).error.code == "receipts_unreadable")
        }
    }

    @Test func `a device that has written no receipt says so`() async throws {
        try await Scratch.with { scratch in
            try DeviceFiles(root: Directory(path: scratch.path("device"))).prepare()
            let state = ["--state", scratch.path("device")]
            let list = try await CommandRun(["receipt", "list"] + state, in: scratch)
            #expect(list.code == 0 && list.output == "none\n" && list.errors.isEmpty)
            let json = try await CommandRun(["receipt", "list", "--json"] + state, in: scratch)
            #expect(json.code == 0 && json.output == "[]\n")
            let show = try await CommandRun(["receipt", "show", "1", "--json"] + state, in: scratch)
            #expect(try show.code == 1 && CommandRun.Failure(show.errors).error.code == "receipt_missing")
        }
    }

    @Test(arguments: [["list"], ["list", "--json"], ["export"], ["export", "--json"]])
    func `output that cannot be written is an error, and is never lost silently`(verb: [String]) async throws {
        try await Scratch.with { scratch in
            try DeviceFiles(root: Directory(path: scratch.path("device"))).prepare()
            let source =
                verb[0] == "list"
                ? ["--state", scratch.path("device")] : ["--file", try scratch.write("a receipt\n", to: "receipts")]
            let full = try await CommandRun(["receipt"] + verb + source, to: "/dev/full", in: scratch)
            #expect(full.code == 1)
            if verb.contains("--json") {
                #expect(try CommandRun.Failure(full.errors).error.code == "output_unwritten")
            } else {
                #expect(full.errors.contains("No space left on device") && full.errors.contains("[output_unwritten]"))
            }
            #expect(try await CommandRun(["receipt"] + verb + source, to: "/dev/null", in: scratch).code == 0)
        }
    }

    @Test(arguments: ["", "\n", "my diary\n", #"{"type":"baton.receipt","version":2}"# + "\n"])
    func `a file without a readable receipt is an error, not an empty list`(content: String) async throws {
        try await Scratch.with { scratch in
            let file = try scratch.write(content, to: "receipts")
            for verb in [["list"], ["show", "1"]] {
                let run = try await CommandRun(["receipt"] + verb + ["--json", "--file", file], in: scratch)
                #expect(run.code == 1 && run.output.isEmpty, "\(run)")
                #expect(try CommandRun.Failure(run.errors).error.code == "receipts_unreadable")
            }
        }
    }
}
