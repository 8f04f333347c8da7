// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
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
    let proofFamily: TokenFamilyID?
    /// The family of the apps' refresh tokens that come of it, the same through all renewals.
    let family: TokenFamilyID
    let expires: Timestamp
    /// When another was given for it.
    let renewed: Timestamp?
    /// Whether the device has shown that it has it; what it has of a renewal may have been lost on the way.
    let isConfirmed: Bool
}

extension StoredPrimaryRefreshToken: Record {
    static let table = "primaryRefreshToken"

    enum Column: String, ColumnName {
        case tenant, hash, session, device, client, sealedSessionKey, proofFamily, expires, family, renewed, confirmed
    }

    init(_ row: TableRow<StoredPrimaryRefreshToken>) throws {
        // One from before families were written has that of its own hash.
        let (family, hash): (TokenFamilyID?, [UInt8]) = (try row[.family], try row[.hash])
        self.init(
            tenant: try row[.tenant], session: try row[.session], device: try row[.device], client: try row[.client],
            sealedSessionKey: try row[.sealedSessionKey], proofFamily: try row[.proofFamily],
            family: family ?? PrimaryRefreshTokens.family(of: hash), expires: try row[.expires],
            renewed: try row[.renewed], isConfirmed: try row[.confirmed])
    }
}

/// The primary refresh tokens of one transaction: tokens kept as hashes, session keys sealed.
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

    /// Puts a token in the place of another, which stays for as long as the reply may have got lost. What that one had
    /// come of goes.
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
    func revoke(proofFamily: TokenFamilyID, tenant: TenantID) throws {
        let issued = try connection.records(
            StoredPrimaryRefreshToken.self, "WHERE tenant = \(tenant) AND proofFamily = \(proofFamily)")
        for record in issued {
            try RefreshTokens(connection).revoke(family: record.family, tenant: tenant)
        }
        try connection.execute(
            "DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND proofFamily = \(proofFamily)")
    }

    /// The family of the refresh tokens that come of a primary one.
    static func family(of hash: [UInt8]) -> TokenFamilyID { TokenFamilyID(rawValue: Base64URL.encode(hash)) }
}

extension StorageKey {
    /// Seals the session key of a PRT for the database.
    ///
    /// - Throws: the library's error.
    func seal(_ key: SessionKey, of token: OpaqueToken) throws -> [UInt8] {
        var bytes = key.secret.withBytes { span in
            (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        defer { wipe(&bytes) }
        return try seal(bytes, purpose: Self.purpose(of: token))
    }

    /// Opens the session key of a PRT.
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

/// Whether a primary refresh token is still good: a renewal puts another in its place.
///
/// The reply to a renewal may get lost. So the device may ask again within ``window``, as long as it has not shown that it
/// has the new one; it then gets the very same again. Any other second renewal means that token and session key are in
/// two hands.
enum RenewalRule {
    /// How long a renewal may be asked for again: longer than for a refresh token, since whoever asks has to have the
    /// session key, and a device may be out of reach for a while.
    static let window = Duration.seconds(3600)

    enum Judgement: Equatable {
        case good
        /// The reply to the renewal got lost.
        case repeated
        /// Renewed before, and renewed once more by somebody.
        case reused
        /// Renewed before: the device has another one.
        case renewed
        case expired
    }

    /// - Parameter successor: the token that was given for this one.
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
