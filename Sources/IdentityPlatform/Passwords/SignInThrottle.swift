// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Counts failed sign-ins by login name and by address, in the database: a restart forgets nothing.
///
/// Names that nobody has count like all others. An address from which a person has signed in within the last month has a
/// count of its own for that name, so that strangers who guess cannot lock the person out there.
struct SignInThrottle: Sendable {
    let database: any Database
    let storageKey: StorageKey
    let ambient: Ambient

    private static let familiarity = Duration.seconds(30 * 86400)

    private enum Kind: String { case name, address, familiar }

    /// An attempt that counts as a failure already.
    struct Attempt: Sendable {
        let tenant: TenantID
        fileprivate let name: [UInt8]
        fileprivate let address: [UInt8]
        /// Stands for the name at that address.
        fileprivate let familiar: [UInt8]
    }

    /// Lets an attempt through and counts it.
    ///
    /// - Throws: ``OAuthError`` `tooManyFailures`, ``StorageError``
    func admit(name: String, tenant: TenantID, from peer: PeerAddress) async throws -> Attempt {
        let attempt = Attempt(
            tenant: tenant, name: hash(.name, name.lowercased()), address: hash(.address, peer.key),
            familiar: hash(.familiar, name.lowercased() + "\n" + peer.key))
        // Who is locked out costs a look, not a write.
        try await database.read { [self] connection in _ = try counted(attempt, connection) }
        try await database.write { [self] connection in
            for (kind, drained) in try counted(attempt, connection) {
                try set(kind, attempt, drained: drained, connection)
            }
        }
        return attempt
    }

    /// Forgets an attempt whose password nobody looked at.
    ///
    /// - Throws: ``StorageError``
    func takeBack(_ attempt: Attempt) async throws {
        try await database.write { [self] connection in
            for (kind, rule) in try rules(attempt, connection) { try refund(kind, rule, attempt, connection) }
        }
    }

    /// Forgives the name's failures and remembers the address as the person's; part of the sign-in's transaction.
    ///
    /// - Throws: ``StorageError``
    func succeeded(_ attempt: Attempt, at time: Timestamp, _ connection: any Connection) throws {
        try refund(.address, .address, attempt, connection)
        try connection.execute(
            """
            DELETE FROM signInThrottle
            WHERE tenant = \(attempt.tenant) AND kind = \(Kind.name) AND hash = \(attempt.name)
            """)
        try set(.familiar, attempt, drained: time, connection)
    }

    /// What would be written for one more failure.
    private func counted(_ attempt: Attempt, _ connection: any Connection) throws -> [(Kind, Timestamp)] {
        let now = ambient.now()
        return try rules(attempt, connection).map { kind, rule in
            guard let next = rule.counting(try drained(kind, attempt, connection), at: now) else {
                throw OAuthError.tooManyFailures
            }
            return (kind, next)
        }
    }

    private func rules(_ attempt: Attempt, _ connection: any Connection) throws -> [(Kind, ThrottleRule)] {
        let isFamiliar = try drained(.familiar, attempt, connection) != nil
        return [(.address, .address), (isFamiliar ? .familiar : .name, .name)]
    }

    private func drained(_ kind: Kind, _ attempt: Attempt, _ connection: any Connection) throws -> Timestamp? {
        try connection.row(
            """
            SELECT drained FROM signInThrottle
            WHERE tenant = \(attempt.tenant) AND kind = \(kind) AND hash = \(hash(kind, attempt))
                AND expires > \(ambient.now())
            """)?.value(0)
    }

    private func refund(
        _ kind: Kind, _ rule: ThrottleRule, _ attempt: Attempt, _ connection: any Connection
    ) throws {
        guard let drained = try drained(kind, attempt, connection) else { return }
        try set(kind, attempt, drained: drained - rule.interval, connection)
    }

    private func set(
        _ kind: Kind, _ attempt: Attempt, drained: Timestamp, _ connection: any Connection
    ) throws {
        let expires = kind == .familiar ? max(drained, ambient.now() + Self.familiarity) : drained
        try connection.execute(
            """
            INSERT INTO signInThrottle (tenant, kind, hash, drained, expires)
            VALUES (\(attempt.tenant), \(kind), \(hash(kind, attempt)), \(drained), \(expires))
            ON CONFLICT (tenant, kind, hash) DO UPDATE SET drained = excluded.drained, expires = excluded.expires
            """)
    }

    private func hash(_ kind: Kind, _ attempt: Attempt) -> [UInt8] {
        switch kind {
        case .name: attempt.name
        case .address: attempt.address
        case .familiar: attempt.familiar
        }
    }

    /// Keyed, so that the table tells neither who signs in nor from where.
    private func hash(_ kind: Kind, _ text: String) -> [UInt8] {
        storageKey.derived("throttled \(kind.rawValue)", Array(text.utf8))
    }
}
