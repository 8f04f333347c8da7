// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The refresh tokens issued from one sign-in or one primary refresh token.
package enum TokenFamily {}
package typealias TokenFamilyID = ForeignID<TokenFamily>

extension ForeignID<TokenFamily> {
    /// Creates a new family.
    init(_ environment: ClockAndRandomness) {
        self.init(rawValue: environment.identifier(of: TokenFamily.self).rawValue)
    }
}

/// A refresh token as stored in the database.
package struct RefreshToken: Sendable {
    package let tenant: TenantID
    package let session: SessionID
    package let client: ClientID
    package let scope: String
    /// The family: all tokens issued from one code, one password or one PRT.
    package let family: TokenFamilyID
    /// The token's number among the client's tokens in the family, counted from 0. Each use issues the token with the
    /// next number.
    package let generation: Int64
    /// Whether the token was issued in exchange for a primary refresh token. If so, it is not accepted as proof for another
    /// primary refresh token.
    package let ofPrimary: Bool
    package let expires: Timestamp
    package let used: Timestamp?
    package let isRevoked: Bool

    package init(
        tenant: TenantID, session: SessionID, client: ClientID, scope: String, family: TokenFamilyID,
        generation: Int64 = 0,
        ofPrimary: Bool, expires: Timestamp, used: Timestamp? = nil, isRevoked: Bool = false
    ) {
        (self.tenant, self.session, self.client, self.scope) = (tenant, session, client, scope)
        (self.family, self.generation, self.ofPrimary) = (family, generation, ofPrimary)
        (self.expires, self.used, self.isRevoked) = (expires, used, isRevoked)
    }

    /// The token's unique position among all tokens, from which its text is derived.
    var place: [UInt8] { tenant.bytes + Array("\(family) \(client) \(generation)".utf8) }

    /// The token that is issued when this token is used. Both expire at the same time.
    var next: RefreshToken {
        RefreshToken(
            tenant: tenant, session: session, client: client, scope: scope, family: family, generation: generation + 1,
            ofPrimary: ofPrimary, expires: expires)
    }
}

extension RefreshToken: Record {
    package static let table = "refreshToken"

    package enum Column: String, ColumnName {
        case tenant, hash, family, session, client, scope, ofPrimary, issued, expires, generation, used, revoked
    }

    package init(_ row: TableRow<RefreshToken>) throws {
        let revoked: Timestamp? = try row[.revoked]
        self.init(
            tenant: try row[.tenant], session: try row[.session], client: try row[.client], scope: try row[.scope],
            family: try row[.family], generation: try row[.generation], ofPrimary: try row[.ofPrimary],
            expires: try row[.expires], used: try row[.used], isRevoked: revoked != nil)
    }
}

/// A refresh token as it is sent in a response.
package struct IssuedRefreshToken: Sendable {
    package let token: OpaqueToken
    package let expires: Timestamp
}

/// Access to the refresh tokens in one transaction. Tokens are stored as hashes.
package struct RefreshTokens {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Stores a new token.
    ///
    /// - Throws: ``StorageError``
    package func add(_ token: OpaqueToken, _ record: RefreshToken, at time: Timestamp) throws {
        try connection.insert(
            into: RefreshToken.self,
            [
                .tenant: record.tenant, .hash: token.hash, .family: record.family, .generation: record.generation,
                .session: record.session, .client: record.client, .scope: record.scope, .ofPrimary: record.ofPrimary,
                .issued: time, .expires: record.expires,
            ])
    }

    /// Returns the stored record of a client's token, whether or not the token was used.
    ///
    /// - Throws: ``StorageError``
    package func find(_ token: OpaqueToken) throws -> RefreshToken? {
        try connection.record(RefreshToken.self, "WHERE tenant = \(token.tenant) AND hash = \(token.hash)")
    }

    /// Returns the token that was issued in place of a used one.
    ///
    /// - Throws: ``StorageError``
    func successor(of token: RefreshToken) throws -> RefreshToken? {
        try connection.record(
            RefreshToken.self,
            """
            WHERE tenant = \(token.tenant) AND family = \(token.family) AND client = \(token.client)
                AND generation = \(token.generation + 1)
            """)
    }

    /// Returns the newest of a client's tokens in a family, whether or not it was used.
    ///
    /// - Throws: ``StorageError``
    func newest(family: TokenFamilyID, client: ClientID, tenant: TenantID) throws -> RefreshToken? {
        try connection.record(
            RefreshToken.self,
            """
            WHERE tenant = \(tenant) AND family = \(family) AND client = \(client)
            ORDER BY generation DESC LIMIT 1
            """)
    }

    /// Marks a token as used. The token stays in the database, so that a second use is recognised. A repeated call
    /// changes nothing.
    ///
    /// - Parameter token: the token as read in this transaction.
    /// - Throws: ``StorageError``
    func use(_ token: RefreshToken, at time: Timestamp) throws {
        guard token.used == nil else { return }
        let used = try connection.execute(
            """
            UPDATE refreshToken SET used = \(time)
            WHERE tenant = \(token.tenant) AND family = \(token.family) AND client = \(token.client)
                AND generation = \(token.generation) AND used IS NULL
            """)
        guard used == 1 else { throw StorageError(.unexpectedValue, "an unused refresh token was used meanwhile") }
    }

    /// Revokes a client's tokens of a family. The tokens stay in the database, so that no generation is issued twice.
    ///
    /// - Returns: how many tokens this call revoked.
    /// - Throws: ``StorageError``
    func revoke(chainOf token: RefreshToken, at time: Timestamp) throws -> Int {
        try connection.execute(
            """
            UPDATE refreshToken SET revoked = \(time)
            WHERE tenant = \(token.tenant) AND family = \(token.family) AND client = \(token.client)
                AND revoked IS NULL
            """)
    }

    /// Returns whether a client can still get tokens of a session: with a refresh token, a primary refresh token or a code.
    ///
    /// - Throws: ``StorageError``
    func isUsed(_ session: SessionID, tenant: TenantID, at time: Timestamp) throws -> Bool {
        let own: SQL = "tenant = \(tenant) AND session = \(session) AND expires > \(time)"
        let uses = try connection.rows(
            """
            SELECT 1 AS used FROM refreshToken WHERE \(own) AND revoked IS NULL
            UNION ALL SELECT 1 FROM primaryRefreshToken WHERE \(own)
            UNION ALL SELECT 1 FROM authorizationCode WHERE \(own) AND redeemed IS NULL
            LIMIT 1
            """)
        return !uses.isEmpty
    }

    /// Deletes all tokens of a family, because the family's code was replayed or the family's PRT was revoked.
    ///
    /// - Throws: ``StorageError``
    package func revoke(family: TokenFamilyID, tenant: TenantID) throws {
        try connection.execute("DELETE FROM refreshToken WHERE tenant = \(tenant) AND family = \(family)")
    }
}
