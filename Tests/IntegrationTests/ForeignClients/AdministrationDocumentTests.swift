// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// The OpenAPI documents of the administration, checked by programs that know nothing else about the server. These
    /// cases change and remove what they find, so they have a server of their own.
    @Suite(.foreignClients) struct AdministrationDocumentTests {
        private func check(_ name: String) async throws {
            try await ForeignClients.lent.check("openapi_client.py", name)
        }

        @Test
        func `openapi-spec-validator accepts the documents of both interfaces, which describe the same operations`()
            async throws
        {
            try await check("documents")
        }

        /// With `BATON_SOAK`, schemathesis makes many more calls.
        @Test(arguments: ["everybody", "global_administrators"])
        func `schemathesis gets only documented answers over HTTPS, and no act without its role`(callers: String)
            async throws
        {
            try await check(callers)
        }
    }
}
