// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The session's process is the one that holds tokens: what it logs must be what was asked for.
@Suite(.timeLimit(.minutes(10))) struct LogLevelTests {
    @Test func `the session's process logs at the broker's level`() async throws {
        try await Scratch.with { scratch in
            let arguments = scratch.path("arguments")
            let script = "echo \"$@\" >\(arguments); exec /bin/cat <&3 >\(scratch.path("heard"))"
            try await SupervisorWorld.with(scratch, child: script) { world in
                _ = try await world.childHears(.start)
                #expect(try textOfFile(arguments) == "session --log-level critical\n")
            }
        }
    }
}
