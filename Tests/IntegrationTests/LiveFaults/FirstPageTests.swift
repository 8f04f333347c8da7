// SPDX-License-Identifier: Apache-2.0
import MSAL
import TestSupport
import Testing

/// How long a worker waits for the first page of a session in Firefox. `scripts/measure/windows` measures Chromium.
/// Only the soak test runs this suite, because times on a busy machine cannot be compared with a budget.
@Suite(
    .serialized, .live(users: LiveEnvironment.usersOfItsOwn, hasBrowser: false), .timeLimit(.minutes(30)),
    .enabled(if: Soak.isRunning))
struct FirstPageTests {
    private static let sessions = 20
    private static let budget = Duration.seconds(3)

    @Test func `the first page of a session is shown in Firefox within its budget`() async throws {
        let live = try await LiveEnvironment.ready()
        try await live.withConfiguredBrowser(.firefox) { _ in
            try await live.log(of: .agent, says: "a profile of Firefox is prepared")
            var times: [Duration] = []
            for _ in 0..<Self.sessions {
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                let began = ContinuousClock.now
                let run = try await Scratch.with { scratch in
                    try await CommandRun(["browser", "--runtime-directory", live.path("run")], in: scratch)
                }
                times.append(began.duration(to: .now))
                #expect(run.code == 0, "\(run.errors)")
                try await app.signOut(amara)
                try await live.settle()
            }
            times.sort()
            let (half, most) = (times[Self.sessions / 2 - 1], times[Self.sessions * 95 / 100 - 1])
            print("first page in Firefox: p50 \(half), p95 \(most)")
            #expect(most <= Self.budget)
        }
    }
}
