// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The session's process is the one that holds tokens: what it logs must be what was asked for.
@Suite(.timeLimit(.minutes(10))) struct LogLevelTests {
    @Test func `the session's process logs at the broker's level`() async throws {
        try await Scratch.with { scratch in
            let heard = scratch.path("heard")
            let script = "echo \"$@\" >\(heard); exec /bin/cat <&3 >\(heard)"
            try await SupervisorWorld.with(scratch, child: script) { world in
                try await world.childHears("session --log-level critical")
            }
        }
    }
}
