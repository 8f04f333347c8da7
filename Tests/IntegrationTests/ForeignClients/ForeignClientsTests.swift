// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Unmodified programs of other projects, which use one server over TLS. Each suite of ``ForeignClientsTests`` is a
/// client; its cases are in `Tests/ForeignClients`.
///
/// The suites run one after the other, because some cases disable a person or an application for a while. Cases that
/// need a compatibility setting are in ``ForeignClientsTests/OlderClientsTests``, with a server of their own.
@Suite(.serialized, .foreignClients(["devicePolling": 1])) struct ForeignClientsTests {
    @Test func `a name in the list leads to our server, with our certificate, any other is refused`() async throws {
        let clients = try ForeignClients.lent
        try await clients.check("harness.py", "names")
        let asked = try clients.asked()
        #expect(asked.contains("led login.microsoftonline.com"))
        #expect(asked.contains("refused pypi.org"))
        #expect(asked.contains("refused GET"))
    }

    /// Clients for which the operator must turn on a setting of `compatibility` in the server's configuration.
    @Suite(
        .foreignClients([
            "compatibility": [
                "passwordGrant": true, "keyDerivationVersionOne": true, "codeWithoutProofKey": true,
                "unboundCredentialCookie": true,
            ]
        ]))
    struct OlderClientsTests {
        private func check(_ script: String, _ name: String) async throws {
            try await ForeignClients.lent.check(script, name)
        }

        @Test func `msal signs in with name and password if the operator allows it`() async throws {
            try await check("msal_client.py", "password")
        }

        @Test func `azure-identity signs in with name and password if the operator allows it`() async throws {
            try await check("azure_client.py", "password")
        }

        @Test func `azure-identity redeems a code without a proof key if the operator allows it`() async throws {
            try await check("azure_client.py", "code")
        }

        @Test func `roadtx gets a primary refresh token for a password if the operator allows it`() async throws {
            try await check("roadtx_client.py", "password")
        }

        @Test func `roadtx signs its browser in with the device's credential, once per credential`() async throws {
            try await check("roadtx_client.py", "cookie")
        }
    }
}
