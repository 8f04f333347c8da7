// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// What a code stands for until it is redeemed.
struct AuthorizationCode: Sendable {
    let tenant: TenantID
    let session: SessionID
    let client: ClientID
    let redirectURI: String
    let scope: String
    /// PKCE, S256 (RFC 7636); empty where the client knows none and the operator lets it in.
    let challenge: String
    let nonce: String?
    let family: String
    /// Whether the sign-in that began the session made it.
    let beganSession: Bool
    let expires: Timestamp
    let redeemed: Timestamp?
}

/// The authorisation codes of one transaction, kept as hashes.
struct AuthorizationCodes {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    func add(_ code: OpaqueToken, _ record: AuthorizationCode) throws {
        try connection.execute(
            """
            INSERT INTO authorizationCode (tenant, hash, session, client, redirectURI, scope, challenge, nonce, family,
                beganSession, expires)
            VALUES (\(record.tenant), \(code.hash), \(record.session), \(record.client), \(record.redirectURI),
                \(record.scope), \(record.challenge), \(record.nonce), \(record.family),
                \(record.beganSession), \(record.expires))
            """)
    }

    func find(_ code: OpaqueToken) throws -> AuthorizationCode? {
        try connection.row(
            """
            SELECT tenant, session, client, redirectURI, scope, challenge, nonce, family, beganSession, expires,
                redeemed
            FROM authorizationCode WHERE tenant = \(code.tenant) AND hash = \(code.hash)
            """
        ).map { row in
            AuthorizationCode(
                tenant: try row.value(0), session: try row.value(1), client: try row.value(2),
                redirectURI: try row.text(3), scope: try row.text(4), challenge: try row.text(5),
                nonce: try row.optionalText(6), family: try row.text(7), beganSession: try row.flag(8),
                expires: try row.value(9), redeemed: try row.optionalValue(10))
        }
    }

    /// Marks a code as used; it stays, so that a second use is recognised.
    ///
    /// - Returns: whether it was unused until now.
    func redeem(_ code: OpaqueToken, at time: Timestamp) throws -> Bool {
        try connection.execute(
            """
            UPDATE authorizationCode SET redeemed = \(time)
            WHERE tenant = \(code.tenant) AND hash = \(code.hash) AND redeemed IS NULL
            """) == 1
    }
}
