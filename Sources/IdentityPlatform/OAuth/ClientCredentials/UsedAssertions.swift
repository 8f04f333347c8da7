// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// An assertion with which a client has authenticated.
struct UsedAssertion: Table, Sendable {
    let client: ClientID
    /// The hash of the `jti`, which is unique for the client.
    let hash: [UInt8]
    /// When no node accepts the assertion any more, whatever its clock shows.
    let expires: Timestamp

    static let table = "clientAssertion"
    enum Column: String, ColumnName { case tenant, client, hash, expires }
}

/// Access to the used assertions in one transaction. They are stored for every kind of database, so that an assertion
/// cannot be replayed after a restart or at another node.
struct UsedAssertions {
    let connection: any Connection
    let tenant: TenantID

    /// The maximum number of assertions stored for one client. A client that keeps its tokens until they expire needs
    /// one assertion per hour.
    static let capacity = 1000

    /// Stores an assertion.
    ///
    /// - Throws: ``OAuthError`` `replayedAssertion`, `tooManyAssertions`; ``StorageError``
    func use(_ assertion: UsedAssertion, at now: Timestamp) throws {
        if try kept(of: assertion.client) >= Self.capacity {
            try connection.execute(
                """
                DELETE FROM clientAssertion
                WHERE tenant = \(tenant) AND client = \(assertion.client) AND expires <= \(now)
                """)
            guard try kept(of: assertion.client) < Self.capacity else { throw OAuthError.tooManyAssertions }
        }
        let added = try connection.insert(
            into: UsedAssertion.self,
            [
                .tenant: tenant, .client: assertion.client, .hash: assertion.hash, .expires: assertion.expires,
            ], "ON CONFLICT (tenant, client, hash) DO NOTHING")
        guard added == 1 else { throw OAuthError.replayedAssertion }
    }

    private func kept(of client: ClientID) throws -> Int {
        try connection.count(of: UsedAssertion.self, "WHERE tenant = \(tenant) AND client = \(client)")
    }
}
