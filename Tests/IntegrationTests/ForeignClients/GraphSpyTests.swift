// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// GraphSpy, a tool for attacks on Entra ID.
    @Suite struct GraphSpyTests {
        private func check(_ name: String) async throws {
            try await ForeignClients.lent.check("graphspy_client.py", name)
        }

        @Test func `GraphSpy gets and refreshes tokens by device codes of both protocols`() async throws {
            try await check("device_code")
        }

        @Test func `GraphSpy gets nothing for one application by the refresh token of another`() async throws {
            try await check("family")
        }

        @Test func `a code typed for GraphSpy gives away no device and no primary refresh token`() async throws {
            try await check("device_by_code")
        }

        @Test func `GraphSpy gets tokens by a primary refresh token, and none without its session key`() async throws {
            try await check("primary")
        }

        @Test func `GraphSpy signs a browser in by a cookie, once`() async throws { try await check("cookie") }

        @Test func `GraphSpy proves a person by their own key on its device, and nobody else`() async throws {
            try await check("own_key")
        }
    }
}
