// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// The OpenAPI documents of the administration, checked by programs that know nothing else about the server. These
    /// cases change and remove what they find, so they have a server of their own.
    @Suite(.foreignClients) struct AdministrationDocumentTests {
        private func check(_ name: String) async throws {
            try await ForeignClients.lent.check("openapi_client.py", name)
        }

        @Test func `openapi-spec-validator accepts the documents of both doors, which describe the same operations`()
            async throws
        {
            try await check("documents")
        }

        @Test func `each role that the server has is one of these cases`() async throws { try await check("roles") }

        /// With `BATON_SOAK`, schemathesis makes fifteen times as many calls.
        @Test(arguments: [
            "nobody", "application", "global_administrator", "global_reader", "cloud_device_administrator",
            "directory_readers", "helpdesk_administrator", "intune_administrator", "privileged_role_administrator",
            "security_administrator", "security_reader", "user_administrator",
        ])
        func `schemathesis gets only documented answers over HTTPS, and no act without its role`(caller: String)
            async throws
        {
            try await check(caller)
        }
    }
}
