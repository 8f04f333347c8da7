// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// msal-extensions for Python, with a keyring of Debian's.
    @Suite struct MSALExtensionsTests {
        private func check(_ name: String) async throws {
            try await ForeignClients.lent.check("msal_extensions_client.py", name)
        }

        @Test func `programs share msal's tokens in a keyring, no file shows one, and another application gets none`()
            async throws
        {
            try await check("persisted")
        }

        @Test func `what the keyring has of a session that ended is dead, and goes with the account`() async throws {
            try await check("sign_out")
        }

        @Test func `msal-extensions keeps nothing in the clear where there is no keyring`() async throws {
            try await check("no_keyring")
        }
    }
}
