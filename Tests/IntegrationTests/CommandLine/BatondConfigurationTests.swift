// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The errors of `batond` for a configuration file with which it cannot start.
@Suite struct BatondConfigurationTests {
    @Test func `a key under its former name prevents the start, and the error gives the current name`() async throws {
        try await Scratch.with { scratch in
            let file = try scratch.write(
                #"{"directory":"/d","runtimeDirectory":"/r","trustRoots":"/t","doors":{"idle":900}}"#,
                to: "batond.json"
            )
            let run = try await RunningProgram.start(
                try RunningProgram.built("batond"), ["--config", file], log: "batond", awaitsReady: false, in: scratch)
            #expect(try await run.waitForExit() == 1)
            #expect(
                try run.log().contains("configuration \(file): doors is now called sessionPolicy. Rename the key.")
            )
        }
    }

    @Test(arguments: [
        (#"{"receiptDays": 0}"#, "retention.receiptDays (0) is not between 1 and 36500. Leave it out for 400."),
        (#"{"receiptDays": 36501}"#, "retention.receiptDays (36501) is not between 1 and 36500. Leave it out for 400."),
        (#"{"receipts": 30}"#, "retention has an unknown key. Its only key is receiptDays."),
    ])
    func `an impossible retention period prevents the start`(retention: String, cause: String) async throws {
        try await Scratch.with { scratch in
            let file = try scratch.write(
                #"{"directory":"/d","runtimeDirectory":"/r","trustRoots":"/t","retention":\#(retention)}"#,
                to: "batond.json")
            let run = try await RunningProgram.start(
                try RunningProgram.built("batond"), ["--config", file], log: "batond", awaitsReady: false, in: scratch)
            #expect(try await run.waitForExit() == 1)
            #expect(try run.log().contains("configuration \(file): \(cause)"))
        }
    }
}
