// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The session process holds tokens, so it must log at the configured level only.
@Suite(.timeLimit(.minutes(10))) struct LogLevelTests {
    @Test func `the session process logs at the broker's level and in its format`() async throws {
        try await Scratch.with { scratch in
            let arguments = scratch.path("arguments")
            let script = "echo \"$@\" >\(arguments); exec /bin/cat <&3 1<>\(scratch.path("heard"))"
            try await SupervisorFixture.with(scratch, sessionProcess: script) { fixture in
                _ = try await fixture.sessionProcessReceives(.start)
                #expect(try textOfFile(arguments) == "session --log-level critical --log-format text\n")
            }
        }
    }
}
