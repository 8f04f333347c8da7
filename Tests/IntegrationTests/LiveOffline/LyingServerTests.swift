// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveOffline {
    /// A server that answers incorrectly. Its answers sign nobody in or out, and every ended session is still reported.
    @Suite struct LyingServerTests {
        /// The lies of Tests/Proxies/lying_proxy.py. Only the soak test uses `drip`, because the device waits half a
        /// minute for such an answer.
        private static let lies =
            ["nonsense", "other", "empty", "error", "busy", "redirect", "huge", "cut"]
            + (Soak.isRunning ? ["drip"] : [])

        /// Returns more lies than there are requests, because the push channel and the receipts also request nonces.
        private static func always(_ kind: String) -> [String] { [String](repeating: kind, count: 100) }

        @Test func `a sign-in with a lying server fails, and the next one succeeds`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.lied { lie in
                for (number, kind) in Self.lies.enumerated() {
                    // Half of the lies answer the request for a nonce and all requests after it. The other half answer
                    // only the session's own request.
                    try lie(number % 2 == 0 ? "/token " : "/token (?!.*srv_challenge)", Self.always(kind))
                    try live.seat("Amara")
                    _ = try await seen { try await live.app(1).signIn() }
                    try live.leave()
                    try lie("/token ", [])
                    try await live.settle()
                    #expect(try await live.app(1).accounts().current == nil, "\(kind)")
                    #expect(try live.isClean, "\(kind)")
                }
                try await live.findsNothing(of: "Amara")
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                #expect(try await app.signOut(amara))
            }
        }

        @Test func `a session outlives false answers of the server to a token request`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.lied { lie in
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                for kind in Self.lies {
                    try lie("/token ", Self.always(kind))
                    _ = try await seen { try await app.token(of: amara, refreshed: true) }
                    // An earlier token is still returned, and nobody else is signed in.
                    #expect(try await app.token(of: amara).account == amara, "\(kind)")
                    #expect(try await app.accounts().current == amara, "\(kind)")
                }
                try lie("/token ", [])
                #expect(try await app.token(of: amara, refreshed: true).account == amara)
                #expect(try await app.signOut(amara))
                #expect(try live.isClean)
            }
        }

        @Test func `the end of a session is reported to the server until the server confirms it`() async throws {
            let live = try await LiveEnvironment.ready()
            let lies = ["nonsense", "other", "busy", "cut"]
            try await live.lied(last: lies) { lie in
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                try lie("/device/endsession ", lies)
                #expect(try await app.signOut(amara))
                #expect(try live.isClean)
                try await live.serverHearsOfEveryEnd()
            }
        }
    }
}
