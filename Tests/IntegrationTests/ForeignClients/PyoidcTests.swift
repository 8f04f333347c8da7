// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// pyoidc, a library for relying parties.
    @Suite struct PyoidcTests {
        private func check(_ name: String) async throws {
            try await ForeignClients.lent.check("pyoidc_client.py", name)
        }

        @Test func `pyoidc signs in with a code and a proof key, and a code that comes twice takes its tokens back`()
            async throws
        {
            try await check("code")
        }

        @Test func `pyoidc takes no answer to another request, nor another issuer`() async throws {
            try await check("refusals")
        }

        @Test func `pyoidc proves itself by its secret, and by a wrong one gets nothing`() async throws {
            try await check("secret")
        }

        @Test func `pyoidc refreshes its tokens, and no other application does`() async throws {
            try await check("refresh")
        }

        @Test func `pyoidc ends the session, and comes back to its own address alone`() async throws {
            try await check("end_session")
        }
    }
}
