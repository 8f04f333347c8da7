// SPDX-License-Identifier: Apache-2.0
import IdentityPlatform
import OAuth
import Storage

extension Bench {
    /// Measures refresh grants. Each client has its own chain of refresh tokens.
    func refreshGrants(_ load: Load, scope: String, of app: Client) async throws -> Measured {
        try await load.run { _ in
            try await signIn(client: app.id.rawValue, scope: scope).string(ReplyName.refreshToken)
        } _: { token in
            try await refresh(token, scope: scope, of: app)
        }
    }

    /// Measures durable commits of one row, and refresh grants.
    func commitsAndRefreshGrants(_ load: Load, scope: String, of app: Client) async throws -> (Measured, Measured) {
        let commits = try await CommitBench(folder: folder)
        var token = try await signIn(client: app.id.rawValue, scope: scope).string(ReplyName.refreshToken)
        let measured = try await load.inTurns([
            { try await commits.commit() }, { token = try await refresh(token, scope: scope, of: app) },
        ])
        return (measured[0], measured[1])
    }

    /// Exchanges a refresh token; returns the next refresh token.
    func refresh(_ token: String, scope: String, of app: Client) async throws -> String {
        try await self.token([
            "grant_type": "refresh_token", "client_id": app.id.rawValue, "refresh_token": token, "scope": scope,
        ]).string(ReplyName.refreshToken)
    }

    /// Measures requests that exchange a primary refresh token for an app's tokens. Each client is on its own device.
    /// The time to make the request is included.
    func primaryGrants(_ load: Load, scopes: [String], of app: Client) async throws -> Measured {
        let registration = try await registrationToken()
        return try await load.run { number in
            try await BenchDevice(joining: self, with: registration, number: number).session()
        } _: { session in
            try await session.redeem(try session.useRequest(scopes, by: app))
            return session
        }
    }

    /// An access token with which a device joins.
    func registrationToken() async throws -> String {
        try await signIn(client: WellKnownApplication.broker, scope: "openid urn:ms-drs:drs.test/.default")
            .string(ReplyName.accessToken)
    }
}
