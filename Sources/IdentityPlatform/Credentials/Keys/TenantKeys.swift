// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage
internal import Synchronization

extension TenantKey: Table {
    package static let table = "signingKey"
    package static let unread: Set<Column> = [.sealedPrivateKey]
    package enum Column: String, ColumnName { case tenant, id, algorithm, sealedPrivateKey, created, signs }
}

/// The signing keys of all organisations. Each key is parsed once. If only this process uses the database, the list of
/// keys is cached. If several nodes share the database, the list is read in each transaction that uses it, so that no
/// node signs with a key that another node has just replaced.
package final class TenantKeys: Sendable {
    private let database: any Database
    private let isShared: Bool
    private let storageKey: StorageKey
    private let environment: ClockAndRandomness
    private let loaded = Mutex<[TenantID: Loaded]>([:])

    private struct Loaded {
        let keys: [TenantKey]
        let at: Timestamp
    }

    /// How long a cached list is used if only this process uses the database.
    static let freshness = Duration.seconds(300)

    /// - Parameter isShared: whether other nodes use the database.
    init(database: any Database, isShared: Bool, storageKey: StorageKey, environment: ClockAndRandomness) {
        (self.database, self.isShared) = (database, isShared)
        (self.storageKey, self.environment) = (storageKey, environment)
    }

    /// Returns every key that an organisation publishes; empty if the organisation does not exist.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``
    package func all(of tenant: TenantID) async throws -> [TenantKey] {
        let now = environment.now()
        if !isShared, let known = loaded.withLock({ $0[tenant] }), known.at <= now,
            now < known.at + Self.freshness
        {
            return known.keys
        }
        return try await database.read { try self.stored(of: tenant, at: now, $0) }
    }

    /// Returns a key that an organisation publishes; nil if it publishes no key with this id. If several nodes share
    /// the database, the key may have been removed since; see ``isPublished(_:by:_:)``.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``
    func key(_ id: String, of tenant: TenantID) async throws -> TenantKey? {
        if isShared, let known = loaded.withLock({ $0[tenant]?.keys.first { $0.id == id } }) { return known }
        return try await all(of: tenant).first { $0.id == id }
    }

    /// Returns whether an organisation publishes a key. If only this process uses the database, returns true without a
    /// query, because the cache from which the caller got the key is up to date.
    ///
    /// - Throws: ``StorageError``
    func isPublished(_ id: String?, by tenant: TenantID, _ connection: any Connection) throws -> Bool {
        guard isShared else { return true }
        return try connection.exists(TenantKey.self, "WHERE tenant = \(tenant) AND id = \(id)")
    }

    /// Returns the keys that an organisation publishes, read in the transaction of a grant; nil if only this process
    /// uses the database.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``
    func shared(by tenant: TenantID, _ connection: any Connection) throws -> [TenantKey]? {
        isShared ? try stored(of: tenant, at: environment.now(), connection) : nil
    }

    /// Reads the list of keys and parses those that are not known yet. The transaction may run twice without harm,
    /// because a parsed key never changes.
    private func stored(
        of tenant: TenantID, at now: Timestamp, _ connection: any Connection
    ) throws -> [TenantKey] {
        let known = loaded.withLock { $0[tenant]?.keys ?? [] }
        let rows = try connection.rows(of: TenantKey.self, "WHERE tenant = \(tenant) ORDER BY created DESC, id")
        let keys = try rows.map { row in
            let id: String = try row[.id]
            return try known.first { $0.id == id } ?? key(row, id: id, tenant: tenant, connection)
        }
        guard !keys.isEmpty else { return [] }
        loaded.withLock { $0[tenant] = Loaded(keys: keys, at: now) }
        return keys
    }

    private func key(
        _ row: TableRow<TenantKey>, id: String, tenant: TenantID, _ connection: any Connection
    ) throws -> TenantKey {
        let sealed: [UInt8]? = try connection.value(
            .sealedPrivateKey, of: TenantKey.self, "WHERE tenant = \(tenant) AND id = \(id)")
        guard let sealed else { throw StorageError(.unexpectedValue, "a signing key is missing") }
        let created: Timestamp = try row[.created]
        return try TenantKey(
            stored: try storageKey.open(sealed, purpose: Self.purpose(tenant, id)),
            try row[.algorithm], created: created, signs: max(created, try row[.signs]))
    }

    /// Returns the current signing key.
    ///
    /// - Parameter keys: the organisation's keys, if they have been read; see ``shared(by:_:)``.
    /// - Throws: ``StorageError``, ``StorageKey/Failure``
    package func current(
        of tenant: TenantID, _ algorithm: SignatureAlgorithm = .rs256, among keys: [TenantKey]? = nil
    ) async throws -> TenantKey {
        let published = if let keys { keys } else { try await all(of: tenant) }
        guard let key = KeySchedule.signing(published, algorithm, at: environment.now()) else {
            throw StorageError(.unexpectedValue, "the organisation has no signing key of the algorithm")
        }
        return key
    }

    /// Stores a key. Its private half is sealed so that it can be decrypted only in this key's row. Call ``forget(_:)``
    /// after the commit.
    ///
    /// - Throws: ``StorageError``, or an error of the cryptography library.
    func add(_ key: TenantKey, stored: [UInt8], tenant: TenantID, _ connection: any Connection) throws {
        let sealed = try storageKey.seal(stored, purpose: Self.purpose(tenant, key.id))
        try connection.insert(
            into: TenantKey.self,
            [
                .tenant: tenant, .id: key.id, .algorithm: key.algorithm, .sealedPrivateKey: sealed,
                .created: key.created, .signs: key.signs,
            ])
    }

    /// Deletes a key. Call ``forget(_:)`` after the commit.
    ///
    /// - Returns: whether the key was stored.
    /// - Throws: ``StorageError``
    func remove(_ key: TenantKey, tenant: TenantID, _ connection: any Connection) throws -> Bool {
        try connection.execute("DELETE FROM signingKey WHERE tenant = \(tenant) AND id = \(key.id)") > 0
    }

    /// Returns when the organisation's keys start to sign, as stored in the database. Does not use the cache.
    ///
    /// - Throws: ``StorageError``
    func starts(of tenant: TenantID, _ connection: any Connection) throws -> [KeyStart] {
        try connection.rows(of: TenantKey.self, "WHERE tenant = \(tenant)").map { row in
            KeyStart(algorithm: try row[.algorithm], signs: max(try row[.created], try row[.signs]))
        }
    }

    /// Discards the cached keys, so that the next use reads the database.
    func forget(_ tenant: TenantID) { loaded.withLock { $0[tenant] = nil } }

    private static func purpose(_ tenant: TenantID, _ id: String) -> String { "signing key \(tenant) \(id)" }
}

/// When a signing key of an algorithm starts to sign.
struct KeyStart: Sendable {
    let algorithm: SignatureAlgorithm
    let signs: Timestamp
}

extension TenantKey {
    var start: KeyStart { KeyStart(algorithm: algorithm, signs: signs) }
}

/// Decides when a signing key signs, gets a successor and is removed. The decisions depend only on the stored times of
/// the keys, so they survive a restart. A key is published before it signs, and stays published until the last token
/// that it may have signed has expired.
struct KeySchedule: Sendable {
    /// How long a new key is published before it signs.
    let publication: Duration
    /// How long a key signs before it gets a successor.
    let age: Duration
    /// The longest lifetime of a token.
    let longestToken: Duration

    /// The extra time for clock differences and for key lists cached by other processes.
    static let tolerance = Duration.seconds(600)

    /// The algorithms for which every organisation has a key.
    static let algorithms: [SignatureAlgorithm] = [.rs256, .es256]

    /// Returns the key that signs: the key with the latest start time that has passed or, if no start time has passed,
    /// the key that starts first.
    static func signing(_ keys: [TenantKey], _ algorithm: SignatureAlgorithm, at now: Timestamp) -> TenantKey? {
        let keys = keys.filter { $0.algorithm == algorithm }
        return keys.filter { $0.signs <= now }.max { $0.signs < $1.signs } ?? keys.min { $0.signs < $1.signs }
    }

    /// Whether a key is published but does not sign yet.
    static func isPending(_ keys: [KeyStart], at now: Timestamp) -> Bool { keys.contains { $0.signs > now } }

    /// Returns the algorithms whose key needs a successor.
    func due(_ keys: [KeyStart], at now: Timestamp) -> [SignatureAlgorithm] {
        Self.algorithms.filter { algorithm in
            let newest = keys.filter { $0.algorithm == algorithm }.map(\.signs).max()
            return newest.map { $0 + age <= now } ?? true
        }
    }

    /// Returns the keys whose tokens have all expired.
    func obsolete(_ keys: [TenantKey], at now: Timestamp) -> [TenantKey] {
        keys.filter { key in
            keys.contains { other in
                other.algorithm == key.algorithm && other.signs > key.signs
                    && other.signs + longestToken + Self.tolerance <= now
            }
        }
    }
}
