// SPDX-License-Identifier: Apache-2.0

/// The output and exit code of one run of the trace search.
package struct TraceSearchRun: Sendable {
    /// See `canary search --help`.
    package let code: Int32
    package let output: String

    /// Searches for canaries. They are passed as a JSON object, which is not written to a file.
    ///
    /// - Parameter wrapper: a command through which the program is started.
    package init(
        for canaries: String, _ arguments: [String], through wrapper: [String] = [], in scratch: Scratch
    ) async throws {
        try await self.init(["search"] + arguments, input: Array(canaries.utf8), through: wrapper, in: scratch)
    }

    /// Runs any command of the program.
    package init(
        _ arguments: [String], input: [UInt8] = [], through wrapper: [String] = [], in scratch: Scratch
    ) async throws {
        let words = wrapper + [try RunningProgram.built("canary")] + arguments
        let program = try await RunningProgram.start(
            words[0], Array(words.dropFirst()), log: "canary-\(UInt32.random(in: 0...UInt32.max)).log", input: input,
            awaitsReady: false, in: scratch)
        code = try await program.waitForExit()
        output = try program.log()
    }
}
