// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The refresh tokens that come of one sign-in or one primary refresh token.
package enum TokenFamily {}
package typealias TokenFamilyID = ForeignID<TokenFamily>

extension ForeignID<TokenFamily> {
    /// A new family.
    init(_ environment: ClockAndRandomness) {
        self.init(rawValue: environment.identifier(of: TokenFamily.self).rawValue)
    }
}

/// A refresh token as the database knows it.
package struct RefreshToken: Sendable {
    package let tenant: TenantID
    package let session: SessionID
    package let client: ClientID
    package let scope: String
    /// All tokens that came of one code, one password or one PRT.
    package let family: TokenFamilyID
    /// Which of its client's tokens in the family it is, counted from 0: each use gives the next.
    package let generation: Int64
    /// Whether it came of a primary refresh token, and so proves nobody for another one.
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

    /// Its place among all tokens, from which its text is derived.
    var place: [UInt8] { tenant.bytes + Array("\(family) \(client) \(generation)".utf8) }

    /// What is given for it when it is used; it lives no longer.
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

/// A refresh token as a reply hands it out.
package struct IssuedRefreshToken: Sendable {
    package let token: OpaqueToken
    package let expires: Timestamp
}

/// The refresh tokens of one transaction, kept as hashes.
package struct RefreshTokens {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Keeps a new token.
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

    /// Finds what a client sent, used or not.
    ///
    /// - Throws: ``StorageError``
    package func find(_ token: OpaqueToken) throws -> RefreshToken? {
        try connection.record(RefreshToken.self, "WHERE tenant = \(token.tenant) AND hash = \(token.hash)")
    }

    /// The token that was given for a used one.
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

    /// The newest of a client's tokens in a family, used or not.
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

    /// Marks a token as used; it stays, so that a second use is recognised. Again changes nothing.
    ///
    /// - Throws: ``StorageError``
    func use(_ token: RefreshToken, at time: Timestamp) throws {
        try connection.execute(
            """
            UPDATE refreshToken SET used = \(time)
            WHERE tenant = \(token.tenant) AND family = \(token.family) AND client = \(token.client)
                AND generation = \(token.generation) AND used IS NULL
            """)
    }

    /// Revokes a client's tokens of a family. They stay, so that none is given again under the same number.
    ///
    /// - Returns: how many were good or used until now.
    /// - Throws: ``StorageError``
    func revoke(chainOf token: RefreshToken, at time: Timestamp) throws -> Int {
        try connection.execute(
            """
            UPDATE refreshToken SET revoked = \(time)
            WHERE tenant = \(token.tenant) AND family = \(token.family) AND client = \(token.client)
                AND revoked IS NULL
            """)
    }

    /// Forgets all that came of one code or one PRT, which is gone itself.
    ///
    /// - Throws: ``StorageError``
    package func revoke(family: TokenFamilyID, tenant: TenantID) throws {
        try connection.execute("DELETE FROM refreshToken WHERE tenant = \(tenant) AND family = \(family)")
    }
}
