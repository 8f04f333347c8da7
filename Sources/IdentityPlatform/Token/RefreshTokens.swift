// SPDX-License-Identifier: Apache-2.0
package import Storage

/// A refresh token as the database knows it.
package struct RefreshToken: Sendable {
    package let tenant: TenantID
    package let session: SessionID
    package let client: ClientID
    package let scope: String
    /// All tokens that came of one code or one PRT.
    package let family: String
    /// Whether it came of a primary refresh token, and so proves nobody for another one.
    package let ofPrimary: Bool
    package let expires: Timestamp
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
        try connection.execute(
            """
            INSERT INTO refreshToken (tenant, hash, family, session, client, scope, ofPrimary, issued, expires)
            VALUES (\(record.tenant), \(token.hash), \(record.family), \(record.session), \(record.client),
                \(record.scope), \(record.ofPrimary), \(time), \(record.expires))
            """)
    }

    /// Finds what a client sent.
    ///
    /// - Throws: ``StorageError``
    package func find(_ token: OpaqueToken) throws -> RefreshToken? {
        try connection.row(
            """
            SELECT tenant, session, client, scope, family, ofPrimary, expires FROM refreshToken
            WHERE tenant = \(token.tenant) AND hash = \(token.hash)
            """
        ).map { row in
            RefreshToken(
                tenant: try row.value(0), session: try row.value(1), client: try row.value(2),
                scope: try row.text(3), family: try row.text(4), ofPrimary: try row.flag(5),
                expires: try row.value(6))
        }
    }

    /// Revokes all that came of one code.
    ///
    /// - Throws: ``StorageError``
    package func revoke(family: String, tenant: TenantID) throws {
        try connection.execute("DELETE FROM refreshToken WHERE tenant = \(tenant) AND family = \(family)")
    }
}
