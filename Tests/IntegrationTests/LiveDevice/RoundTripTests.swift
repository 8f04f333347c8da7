// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// The number of requests to the identity platform for one call of an app.
    @Suite struct RoundTripTests {
        @Test func `a silent token that is not in the cache takes one request to the server`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.counted { grants in
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                // Another app's first token, then a refreshed token of the first app. Each request uses the nonce
                // of the previous reply.
                for (caller, isRefreshed) in [(try live.app(2), false), (app, true)] {
                    let id = UUID()
                    let token = try await caller.token(of: amara, refreshed: isRefreshed) { $0.correlationId = id }
                    #expect(token.account == amara)
                    #expect(try grants(id) == ["urn:ietf:params:oauth:grant-type:jwt-bearer"])
                }
                #expect(try await app.signOut(amara))
                // The next worker's session does not use the last worker's nonces.
                let bo = try await live.signIn("Bo", through: app)
                let id = UUID()
                #expect(try await live.app(2).token(of: bo) { $0.correlationId = id }.account == bo)
                #expect(try grants(id) == ["urn:ietf:params:oauth:grant-type:jwt-bearer"])
                #expect(try await app.signOut(bo))
            }
        }
    }
}
