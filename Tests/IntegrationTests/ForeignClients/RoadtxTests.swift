// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// roadtx, unchanged, over TLS: devices that Baton's authors did not write.
@Suite(.serialized, .foreignClients) struct RoadtxTests {
    @Test(arguments: [
        "forms", "refused_join", "refresh_token", "own_key", "device_token", "leave", "refused_requests",
        "refused_people", "clock_skew",
    ])
    func `roadtx joins, gets tokens and leaves, and what it should not get it does not`(name: String) async throws {
        try await run(name)
    }

    @Test(.foreignClients(["compatibility": ["passwordGrant": true]]))
    func `roadtx gets a primary refresh token for a password where the operator lets it`() async throws {
        try await run("password")
    }

    @Test(
        .foreignClients([
            "compatibility": [
                "passwordGrant": true, "keyDerivationVersionOne": true, "codeWithoutProofKey": true,
                "unboundCredentialCookie": true,
            ]
        ]))
    func `roadtx signs its browser in by the device's credential, once each`() async throws {
        try await run("cookie")
    }

    private func run(_ name: String) async throws {
        let clients = try ForeignClients.lent
        let pack = try clients.server.administer("POST", "/identity/tenants/-/compatibility-clients")
        guard pack.status < 300 else { throw TestProblem("compatibility clients: \(pack.status)") }
        try await clients.check("roadtx_client.py", name)
    }
}
