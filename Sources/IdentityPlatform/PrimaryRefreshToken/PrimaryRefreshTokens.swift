// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// A primary refresh token as the database knows it.
struct StoredPrimaryRefreshToken: Sendable {
    let tenant: TenantID
    let session: SessionID
    let device: DeviceID
    /// The broker that asked for it.
    let client: ClientID
    let sealedSessionKey: [UInt8]
    /// The family of the refresh token that it was issued for; nil where that was a password.
    let proofFamily: String?
    let expires: Timestamp
}

/// The primary refresh tokens of one transaction: tokens kept as hashes, session keys sealed.
struct PrimaryRefreshTokens {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    func add(_ token: OpaqueToken, _ record: StoredPrimaryRefreshToken) throws {
        try connection.execute(
            """
            INSERT INTO primaryRefreshToken (tenant, hash, session, device, client, sealedSessionKey, proofFamily,
                expires)
            VALUES (\(record.tenant), \(token.hash), \(record.session), \(record.device), \(record.client),
                \(record.sealedSessionKey), \(record.proofFamily), \(record.expires))
            """)
    }

    func find(_ token: OpaqueToken) throws -> StoredPrimaryRefreshToken? {
        try connection.row(
            """
            SELECT tenant, session, device, client, sealedSessionKey, proofFamily, expires FROM primaryRefreshToken
            WHERE tenant = \(token.tenant) AND hash = \(token.hash)
            """
        ).map { row in
            StoredPrimaryRefreshToken(
                tenant: try row.value(0), session: try row.value(1), device: try row.value(2),
                client: try row.value(3), sealedSessionKey: try row.bytes(4),
                proofFamily: try row.optionalText(5), expires: try row.value(6))
        }
    }

    func remove(session: SessionID, tenant: TenantID) throws {
        try connection.execute(
            "DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND session = \(session)")
    }

    /// Revokes what was issued for a family of refresh tokens, with the apps' refresh tokens that came of it.
    func revoke(proofFamily: String, tenant: TenantID) throws {
        let issued = try connection.rows(
            "SELECT hash FROM primaryRefreshToken WHERE tenant = \(tenant) AND proofFamily = \(proofFamily)")
        for row in issued {
            try RefreshTokens(connection).revoke(family: Self.family(of: try row.bytes(0)), tenant: tenant)
        }
        try connection.execute(
            "DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND proofFamily = \(proofFamily)")
    }

    /// The family of the refresh tokens that come of a primary one.
    static func family(of hash: [UInt8]) -> String { Base64URL.encode(hash) }
}
