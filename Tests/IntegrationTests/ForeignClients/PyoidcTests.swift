// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// pyoidc, a library for relying parties.
    @Suite struct PyoidcTests {
        private func check(_ name: String) async throws {
            try await ForeignClients.lent.check("pyoidc_client.py", name)
        }

        @Test func `pyoidc signs in with a code and a proof key, and a repeated code revokes its tokens`()
            async throws
        {
            try await check("code")
        }

        @Test func `pyoidc refuses answers to another request and another issuer`() async throws {
            try await check("refusals")
        }

        @Test func `pyoidc authenticates with its secret, and a wrong secret is refused`() async throws {
            try await check("secret")
        }

        @Test func `pyoidc refreshes its tokens, and another application cannot`() async throws {
            try await check("refresh")
        }

        @Test func `pyoidc ends the session and is redirected to a registered address only`() async throws {
            try await check("end_session")
        }
    }
}
