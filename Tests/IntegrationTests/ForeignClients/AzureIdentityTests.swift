// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// azure-identity for Python, from which Azure's libraries get their tokens.
    @Suite struct AzureIdentityTests {
        private func check(_ name: String) async throws { try await ForeignClients.lent.check("azure_client.py", name) }

        @Test func `azure-identity waits until a person types a code on another screen, or refuses`()
            async throws
        {
            try await check("device_code")
        }

        @Test func `azure-identity signs in with the machine's browser`() async throws { try await check("browser") }

        @Test func `azure-identity finds the server by its built-in name and refuses an unknown authority`()
            async throws
        {
            try await check("authority")
        }

        @Test func `azure-identity is refused a code without a proof key`() async throws {
            try await check("code_without_proof_key")
        }

        @Test func `azure-identity gets a token without a person for a certificate, and not for a secret`() async throws
        {
            try await check("application")
        }

        @Test func `azure-identity is refused a token for a name and a password`() async throws {
            try await check("password_refused")
        }
    }
}
