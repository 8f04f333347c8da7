// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

extension LiveFaults {
    /// Firefox in a session that belongs to root, as it may in a container.
    @Suite(.live(users: nil, hasBrowser: false)) struct FirefoxAsRootTests {
        @Test func `Firefox shows a page also to the user of the tests, who may be root`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withConfiguredBrowser(.firefox) { _ in
                // On a busy machine, the first start takes longer than a page may take.
                try await live.log(of: .agent, says: "a profile of Firefox is prepared")
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                let run = try await CommandRun(["browser", "--runtime-directory", live.path("run")], in: live.scratch)
                // The extension has confirmed that the page is shown.
                #expect(run.code == 0, "\(run.errors)")
                try await app.signOut(amara)
                try await live.settle()
            }
        }
    }
}
