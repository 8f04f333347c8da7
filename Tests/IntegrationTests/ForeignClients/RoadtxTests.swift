// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// roadtx, unchanged, over TLS: devices that Baton's authors did not write.
@Suite struct RoadtxTests {
    @Test(arguments: [
        "forms", "refused_join", "refresh_token", "own_key", "device_token", "leave", "refused_requests",
        "refused_people", "clock_skew",
    ])
    func `roadtx joins, gets tokens and leaves, and what it should not get it does not`(name: String) async throws {
        try await run(name)
    }

    @Test func `roadtx gets a primary refresh token for a password where the operator lets it`() async throws {
        try await run("password", ["compatibility": ["passwordGrant": true]])
    }

    @Test func `roadtx signs its browser in by the device's credential, once each`() async throws {
        try await run(
            "cookie",
            [
                "compatibility": [
                    "passwordGrant": true, "keyDerivationVersionOne": true, "codeWithoutProofKey": true,
                    "unboundCredentialCookie": true,
                ]
            ])
    }

    private func run(_ name: String, _ changes: [String: Any] = [:]) async throws {
        try await Scratch.with { scratch in
            let clients = try await ForeignClients(changes, in: scratch)
            let pack = try clients.server.administer("POST", "/identity/tenants/-/compatibility-clients")
            guard pack.status < 300 else { throw TestProblem("compatibility clients: \(pack.status)") }
            try await clients.check("roadtx_client.py", name)
        }
    }
}
