// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// A primary refresh token as stored in the database.
struct StoredPrimaryRefreshToken: Sendable {
    let tenant: TenantID
    let session: SessionID
    let device: DeviceID
    /// The broker that requested the token.
    let client: ClientID
    let sealedSessionKey: [UInt8]
    /// The family of the refresh token that was presented as proof of the person; nil if the proof was a password or a
    /// key.
    let proofFamily: TokenFamilyID?
    /// The family of the apps' refresh tokens that were issued with this token. Renewals keep the family.
    let family: TokenFamilyID
    let expires: Timestamp
    /// When another token was issued in place of this one; nil if no other token was issued.
    let renewed: Timestamp?
    /// Whether the device has shown that it received the token. The response to a renewal may have been lost.
    let isConfirmed: Bool
}

extension StoredPrimaryRefreshToken: Record {
    static let table = "primaryRefreshToken"

    enum Column: String, ColumnName {
        case tenant, hash, session, device, client, sealedSessionKey, proofFamily, expires, family, renewed, confirmed
    }

    init(_ row: TableRow<StoredPrimaryRefreshToken>) throws {
        // The family of a token that was stored before the column existed is derived from the token's hash.
        let (family, hash): (TokenFamilyID?, [UInt8]) = (try row[.family], try row[.hash])
        self.init(
            tenant: try row[.tenant], session: try row[.session], device: try row[.device], client: try row[.client],
            sealedSessionKey: try row[.sealedSessionKey], proofFamily: try row[.proofFamily],
            family: family ?? PrimaryRefreshTokens.family(of: hash), expires: try row[.expires],
            renewed: try row[.renewed], isConfirmed: try row[.confirmed])
    }
}

/// Access to the primary refresh tokens in one transaction. Tokens are stored as hashes, and session keys are sealed.
struct PrimaryRefreshTokens {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    func add(_ token: OpaqueToken, _ record: StoredPrimaryRefreshToken) throws {
        try connection.insert(
            into: StoredPrimaryRefreshToken.self,
            [
                .tenant: record.tenant, .hash: token.hash, .session: record.session, .device: record.device,
                .client: record.client, .sealedSessionKey: record.sealedSessionKey,
                .proofFamily: record.proofFamily, .family: record.family, .expires: record.expires,
                .confirmed: record.isConfirmed,
            ])
    }

    func find(_ token: OpaqueToken) throws -> StoredPrimaryRefreshToken? {
        try connection.record(
            StoredPrimaryRefreshToken.self, "WHERE tenant = \(token.tenant) AND hash = \(token.hash)")
    }

    /// Replaces a token with the next one. The replaced token is kept, so that the request can be repeated if the
    /// response was lost. The predecessor of the replaced token is deleted.
    func renew(
        _ token: OpaqueToken, _ record: StoredPrimaryRefreshToken, by next: OpaqueToken,
        as nextRecord: StoredPrimaryRefreshToken, at time: Timestamp
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

    /// Records that the device has received the token.
    func confirm(_ token: OpaqueToken) throws {
        try connection.execute(
            "UPDATE primaryRefreshToken SET confirmed = 1 WHERE tenant = \(token.tenant) AND hash = \(token.hash)")
    }

    func remove(session: SessionID, tenant: TenantID) throws {
        try connection.execute(
            "DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND session = \(session)")
    }

    /// Revokes the primary refresh tokens for which a refresh token of this family was the proof, together with the
    /// apps' refresh tokens that were issued with those primary refresh tokens.
    func revoke(proofFamily: TokenFamilyID, tenant: TenantID) throws {
        let issued = try connection.records(
            StoredPrimaryRefreshToken.self, "WHERE tenant = \(tenant) AND proofFamily = \(proofFamily)")
        for record in issued {
            try RefreshTokens(connection).revoke(family: record.family, tenant: tenant)
        }
        try connection.execute(
            "DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND proofFamily = \(proofFamily)")
    }

    /// Returns the family of the refresh tokens that are issued with the primary refresh token that has this hash.
    static func family(of hash: [UInt8]) -> TokenFamilyID { TokenFamilyID(rawValue: Base64URL.encode(hash)) }
}

extension StorageKey {
    /// Encrypts a PRT's session key for the database.
    ///
    /// - Throws: an error of the cryptography library.
    func seal(_ key: SessionKey, of token: OpaqueToken) throws -> [UInt8] {
        var bytes = key.secret.withBytes { span in
            (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        defer { wipe(&bytes) }
        return try seal(bytes, purpose: Self.purpose(of: token))
    }

    /// Decrypts a PRT's session key.
    ///
    /// - Throws: ``Failure``
    func openSessionKey(_ sealed: [UInt8], of token: OpaqueToken) throws(Failure) -> SessionKey {
        var bytes = try open(sealed, purpose: Self.purpose(of: token))
        guard let key = SessionKey(SecretBytes(consuming: &bytes)) else { throw .doesNotOpen }
        return key
    }

    private static func purpose(of token: OpaqueToken) -> String {
        "session key \(token.tenant) \(Base64URL.encode(token.hash))"
    }
}

/// Decides whether a primary refresh token is still valid. A renewal replaces it with a new one.
///
/// The response to a renewal may be lost. The device may therefore repeat the request within ``window``, as long as it
/// has not shown that it has the new token. The response to the repetition contains the same new token. Any other
/// second renewal means that two parties have the token and the session key.
enum RenewalRule {
    /// How long a renewal may be repeated. This is longer than for a refresh token, since the requester must have the
    /// session key, and a device may be offline for a while.
    static let window = Duration.seconds(3600)

    enum Judgement: Equatable {
        case good
        /// A permitted repetition: the response to the first renewal may have been lost.
        case repeated
        /// The token was already renewed, and this second renewal is not a permitted repetition.
        case reused
        /// The token was already renewed, and this request is not a renewal.
        case renewed
        case expired
    }

    /// - Parameter successor: the token that was issued in place of `token`; nil if unknown.
    static func judge(
        _ token: StoredPrimaryRefreshToken, successor: StoredPrimaryRefreshToken?, isRenewal: Bool, at now: Timestamp
    ) -> Judgement {
        guard token.expires > now else { return .expired }
        guard let renewed = token.renewed else { return .good }
        guard isRenewal else { return .renewed }
        guard now < renewed + window, let successor, !successor.isConfirmed, successor.renewed == nil else {
            return .reused
        }
        return .repeated
    }
}
