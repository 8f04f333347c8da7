// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

extension ForeignClientsTests {
    /// msal for Python, unmodified, over TLS. The cases are in `Tests/ForeignClients/msal_client.py`.
    @Suite struct MSALPythonTests {
        private func check(_ name: String) async throws { try await ForeignClients.lent.check("msal_client.py", name) }

        @Test func `msal signs in with a code and a proof key`() async throws { try await check("code") }

        @Test func `msal accepts the answer as a posted form`() async throws { try await check("form_post") }

        @Test func `msal gets tokens silently from its cache, and from the server on request`() async throws {
            try await check("silent")
        }

        @Test func `msal understands our errors, and refuses answers that are not its own`() async throws {
            try await check("refusals")
        }

        @Test func `msal's tokens end with the sign-out in the browser`() async throws {
            try await check("sign_out")
        }

        @Test func `a token that msal got for one resource is refused by another`() async throws {
            try await check("wrong_audience")
        }

        @Test func `msal finds the server by the names built into it, and by instance discovery`() async throws {
            try await check("instance_discovery")
        }

        @Test func `msal waits until a person types a code on another screen`() async throws {
            try await check("device_code")
        }

        @Test func `msal's tokens for a disabled application or person are invalid, and it gets none`() async throws {
            try await check("disabled")
        }

        @Test func `msal gets tokens for a script that signs with a certificate or a key`() async throws {
            try await check("application")
        }

        @Test func `msal works with a wrong clock`() async throws { try await check("clock_skew") }

        @Test func `msal treats the server as a plain OpenID provider, and compares the issuer`() async throws {
            try await check("oidc_authority")
        }
    }
}
