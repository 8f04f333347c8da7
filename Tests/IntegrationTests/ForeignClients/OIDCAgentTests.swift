// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// Debian's oidc-agent, which keeps tokens for the commands of a shell.
    @Suite struct OIDCAgentTests {
        private func check(_ name: String) async throws { try await ForeignClients.lent.check("oidc_agent.py", name) }

        @Test
        func `oidc-agent gets an account with a device code, refreshes it, and keeps it for the next agent`()
            async throws
        {
            try await check("device_code")
        }

        @Test func `oidc-agent gets an account with the browser, and a stolen answer is refused`() async throws {
            try await check("code")
        }

        @Test func `oidc-agent authenticates with its secret, and a wrong secret is refused`() async throws {
            try await check("secret")
        }

        @Test func `oidc-agent reports the error if its person is disabled`() async throws {
            try await check("disabled")
        }
    }
}
