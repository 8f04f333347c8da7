// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Programs that others wrote, unchanged, over TLS, against one server: each suite of ``ForeignClientsTests`` is a client, and
/// its cases are in `Tests/ForeignClients`.
///
/// The suites run one after the other, since some cases disable a person or an application for a while. What only works
/// where the operator turned something on is in ``ForeignClientsTests/OlderClientsTests``, with a server of its own.
@Suite(.serialized, .foreignClients(["devicePolling": 1])) struct ForeignClientsTests {
    @Test func `a name of the list leads to our server, under our certificate; any other is refused`() async throws {
        let clients = try ForeignClients.lent
        try await clients.check("harness.py", "names")
        let asked = try clients.asked()
        #expect(asked.contains("led login.microsoftonline.com"))
        #expect(asked.contains("refused pypi.org"))
        #expect(asked.contains("refused GET"))
    }

    /// What the operator has to turn on for clients that know no better; see `compatibility` in the configuration.
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

        @Test func `msal signs in with name and password where the operator lets it`() async throws {
            try await check("msal_client.py", "password")
        }

        @Test func `azure-identity signs in with name and password where the operator lets it`() async throws {
            try await check("azure_client.py", "password")
        }

        @Test func `azure-identity redeems a code without a proof key where the operator lets it`() async throws {
            try await check("azure_client.py", "code")
        }

        @Test func `roadtx gets a primary refresh token for a password where the operator lets it`() async throws {
            try await check("roadtx_client.py", "password")
        }

        @Test func `roadtx signs its browser in by the device's credential, once each`() async throws {
            try await check("roadtx_client.py", "cookie")
        }
    }
}
