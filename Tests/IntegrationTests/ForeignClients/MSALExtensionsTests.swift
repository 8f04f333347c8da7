// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// msal-extensions for Python, with gnome-keyring.
    @Suite struct MSALExtensionsTests {
        private func check(_ name: String) async throws {
            try await ForeignClients.lent.check("msal_extensions_client.py", name)
        }

        @Test func `programs share msal's tokens in a keyring, no file has one, and other applications are refused`()
            async throws
        {
            try await check("persisted")
        }

        @Test func `the tokens of an ended session are refused, and removing the account empties the keyring`()
            async throws
        {
            try await check("sign_out")
        }

        @Test func `msal-extensions writes no token to a file when there is no keyring`() async throws {
            try await check("no_keyring")
        }
    }
}
