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
    /// The family of the refresh token that it was issued for; nil where that was a password or a key.
    let proofFamily: String?
    /// The family of the apps' refresh tokens that come of it, the same through all renewals.
    let family: String
    let expires: Timestamp
    /// When another was given for it.
    let renewed: Timestamp?
    /// Whether the device has shown that it has it; what it has of a renewal may have been lost on the way.
    let isConfirmed: Bool
}

/// The primary refresh tokens of one transaction: tokens kept as hashes, session keys sealed.
struct PrimaryRefreshTokens {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    func add(_ token: OpaqueToken, _ record: StoredPrimaryRefreshToken) throws {
        try connection.execute(
            """
            INSERT INTO primaryRefreshToken (tenant, hash, session, device, client, sealedSessionKey, proofFamily,
                family, expires, confirmed)
            VALUES (\(record.tenant), \(token.hash), \(record.session), \(record.device), \(record.client),
                \(record.sealedSessionKey), \(record.proofFamily), \(record.family), \(record.expires),
                \(record.isConfirmed))
            """)
    }

    func find(_ token: OpaqueToken) throws -> StoredPrimaryRefreshToken? {
        try connection.row(
            """
            SELECT tenant, session, device, client, sealedSessionKey, proofFamily, family, expires, renewed, confirmed
            FROM primaryRefreshToken WHERE tenant = \(token.tenant) AND hash = \(token.hash)
            """
        ).map { row in
            StoredPrimaryRefreshToken(
                tenant: try row.value(0), session: try row.value(1), device: try row.value(2),
                client: try row.value(3), sealedSessionKey: try row.bytes(4),
                proofFamily: try row.optionalText(5), family: try row.optionalText(6) ?? Self.family(of: token.hash),
                expires: try row.value(7), renewed: try row.optionalValue(8), isConfirmed: try row.flag(9))
        }
    }

    /// Puts a token in the place of another, which stays for as long as the reply may have got lost. What that one had
    /// come of goes.
    func renew(
        _ token: OpaqueToken, _ record: StoredPrimaryRefreshToken, by next: OpaqueToken,
        _ nextRecord: StoredPrimaryRefreshToken, at time: Timestamp
    ) throws {
        try connection.execute(
            """
            DELETE FROM primaryRefreshToken
            WHERE tenant = \(record.tenant) AND session = \(record.session) AND renewed IS NOT NULL
            """)
        try connection.execute(
            """
            UPDATE primaryRefreshToken SET renewed = \(time)
            WHERE tenant = \(record.tenant) AND hash = \(token.hash)
            """)
        try add(next, nextRecord)
    }

    /// Notes that the device has the token.
    func confirm(_ token: OpaqueToken) throws {
        try connection.execute(
            "UPDATE primaryRefreshToken SET confirmed = 1 WHERE tenant = \(token.tenant) AND hash = \(token.hash)")
    }

    func remove(session: SessionID, tenant: TenantID) throws {
        try connection.execute(
            "DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND session = \(session)")
    }

    /// Revokes what was issued for a family of refresh tokens, with the apps' refresh tokens that came of it.
    func revoke(proofFamily: String, tenant: TenantID) throws {
        let issued = try connection.rows(
            "SELECT hash, family FROM primaryRefreshToken WHERE tenant = \(tenant) AND proofFamily = \(proofFamily)")
        for row in issued {
            let family = try row.optionalText(1) ?? Self.family(of: try row.bytes(0))
            try RefreshTokens(connection).revoke(family: family, tenant: tenant)
        }
        try connection.execute(
            "DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND proofFamily = \(proofFamily)")
    }

    /// The family of the refresh tokens that come of a primary one.
    static func family(of hash: [UInt8]) -> String { Base64URL.encode(hash) }
}
