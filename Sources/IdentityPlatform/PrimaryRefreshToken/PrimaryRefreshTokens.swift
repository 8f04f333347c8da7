// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// A primary refresh token as the database knows it.
struct StoredPrimaryRefreshToken: Sendable {
    let tenant: TenantID
    let session: SessionID
    let device: DeviceID
    /// The broker that asked for it.
    let client: ClientID
    let sealedSessionKey: [UInt8]
    /// The counter of the epoch that it was issued in.
    let epochCounter: Int64?
    let expires: Timestamp
}

/// The primary refresh tokens of one transaction: tokens kept as hashes, session keys sealed.
struct PrimaryRefreshTokens {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    func add(_ token: OpaqueToken, _ record: StoredPrimaryRefreshToken) throws {
        try connection.execute(
            """
            INSERT INTO primaryRefreshToken (tenant, hash, session, device, client, sealedSessionKey, epochCounter,
                expires)
            VALUES (\(record.tenant), \(token.hash), \(record.session), \(record.device), \(record.client),
                \(record.sealedSessionKey), \(record.epochCounter), \(record.expires))
            """)
    }

    func find(_ token: OpaqueToken) throws -> StoredPrimaryRefreshToken? {
        try connection.row(
            """
            SELECT tenant, session, device, client, sealedSessionKey, epochCounter, expires FROM primaryRefreshToken
            WHERE tenant = \(token.tenant) AND hash = \(token.hash)
            """
        ).map { row in
            StoredPrimaryRefreshToken(
                tenant: try row.value(0), session: try row.value(1), device: try row.value(2),
                client: try row.value(3), sealedSessionKey: try row.bytes(4),
                epochCounter: try row.optionalInteger(5), expires: try row.value(6))
        }
    }

    func remove(session: SessionID, tenant: TenantID) throws {
        try connection.execute(
            "DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND session = \(session)")
    }
}
