// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The search that the leak tests rely on is tested itself: what is planted must be found.
@Suite struct CanaryToolTests {
    @Test func `the canary search finds what is planted and admits what it cannot search`() async throws {
        try await Scratch.with { scratch in
            let tests = try await RunningProgram.start(
                "/usr/bin/python3", ["-B", Repository.root + "/Tests/Canary/test_canary.py"], log: "tests.log",
                awaitsReady: false, in: scratch)
            let code = try await tests.waitForExit()
            let log = try tests.log()
            #expect(code == 0, "\(log.suffix(4000))")
        }
    }
}
