// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// An authorisation code as stored in the database.
struct AuthorizationCode: Sendable {
    let tenant: TenantID
    let session: SessionID
    let client: ClientID
    let redirectURI: String
    let scope: String
    /// The PKCE code challenge, method S256 (RFC 7636). Empty if the client did not use PKCE; the operator must have
    /// allowed this.
    let challenge: String
    let nonce: String?
    let family: TokenFamilyID
    /// Whether the code came from the sign-in that began the session.
    let beganSession: Bool
    let expires: Timestamp
    let redeemed: Timestamp?
}

extension AuthorizationCode: Record {
    static let table = "authorizationCode"

    enum Column: String, ColumnName {
        case tenant, hash, session, client, redirectURI, scope, challenge, nonce, family, beganSession, expires,
            redeemed
    }

    init(_ row: TableRow<AuthorizationCode>) throws {
        self.init(
            tenant: try row[.tenant], session: try row[.session], client: try row[.client],
            redirectURI: try row[.redirectURI], scope: try row[.scope], challenge: try row[.challenge],
            nonce: try row[.nonce], family: try row[.family], beganSession: try row[.beganSession],
            expires: try row[.expires], redeemed: try row[.redeemed])
    }
}

/// Access to the authorisation codes in one transaction. Codes are stored as hashes.
struct AuthorizationCodes {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    func add(_ code: OpaqueToken, _ record: AuthorizationCode) throws {
        try connection.insert(
            into: AuthorizationCode.self,
            [
                .tenant: record.tenant, .hash: code.hash, .session: record.session, .client: record.client,
                .redirectURI: record.redirectURI, .scope: record.scope, .challenge: record.challenge,
                .nonce: record.nonce, .family: record.family, .beganSession: record.beganSession,
                .expires: record.expires,
            ])
    }

    func find(_ code: OpaqueToken) throws -> AuthorizationCode? {
        try connection.record(AuthorizationCode.self, "WHERE tenant = \(code.tenant) AND hash = \(code.hash)")
    }

    /// Marks a code as used. The code stays in the database, so that a second use is recognised.
    ///
    /// - Returns: true if the code was unused.
    func redeem(_ code: OpaqueToken, at time: Timestamp) throws -> Bool {
        try connection.execute(
            """
            UPDATE authorizationCode SET redeemed = \(time)
            WHERE tenant = \(code.tenant) AND hash = \(code.hash) AND redeemed IS NULL
            """) == 1
    }
}
