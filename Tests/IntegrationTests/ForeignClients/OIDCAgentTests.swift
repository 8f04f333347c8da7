// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// Debian's oidc-agent, which keeps tokens for the commands of a shell.
    @Suite struct OIDCAgentTests {
        private func check(_ name: String) async throws { try await ForeignClients.lent.check("oidc_agent.py", name) }

        @Test
        func `oidc-agent gets an account by a code typed elsewhere, refreshes it, and keeps it for the next agent`()
            async throws
        {
            try await check("device_code")
        }

        @Test func `oidc-agent gets an account by the browser, and a thief of the address gets nothing`() async throws {
            try await check("code")
        }

        @Test func `oidc-agent proves itself by its secret, and by a wrong one gets nothing`() async throws {
            try await check("secret")
        }

        @Test func `oidc-agent says that the account of a disabled person is dead`() async throws {
            try await check("disabled")
        }
    }
}
