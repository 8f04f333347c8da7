// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// GraphSpy, a tool for attacks on Entra ID.
    @Suite struct GraphSpyTests {
        private func check(_ name: String) async throws {
            try await ForeignClients.lent.check("graphspy_client.py", name)
        }

        @Test func `GraphSpy gets and refreshes tokens with device codes of both protocol versions`() async throws {
            try await check("device_code")
        }

        @Test func `GraphSpy is refused tokens for one application with the refresh token of another`() async throws {
            try await check("family")
        }

        @Test
        func `a device code that a person typed for GraphSpy yields no device and no primary refresh token`()
            async throws
        {
            try await check("device_by_code")
        }

        @Test func `GraphSpy gets tokens with a primary refresh token, and is refused without its session key`()
            async throws
        {
            try await check("primary")
        }

        @Test func `GraphSpy signs a browser in with a cookie, once`() async throws { try await check("cookie") }

        @Test func `GraphSpy signs a person in with their own key on its device, and no other person`()
            async throws
        {
            try await check("own_key")
        }
    }
}
