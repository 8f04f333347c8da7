// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage
internal import Synchronization

extension TenantKey: Table {
    package static let table = "signingKey"
    package enum Column: String, ColumnName { case tenant, id, algorithm, sealedPrivateKey, created, signs }
}

/// The signing keys of all organisations. Each is parsed once; which there are is asked of the database anew when this
/// process changes them, and every five minutes, since another may.
package final class TenantKeys: Sendable {
    private let database: any Database
    private let storageKey: StorageKey
    private let environment: ClockAndRandomness
    private let loaded = Mutex<[TenantID: Loaded]>([:])

    private struct Loaded {
        let keys: [TenantKey]
        let at: Timestamp
    }

    /// A key is published for longer before it signs, so that none is missed.
    static let freshness = Duration.seconds(300)

    init(database: any Database, storageKey: StorageKey, environment: ClockAndRandomness) {
        (self.database, self.storageKey, self.environment) = (database, storageKey, environment)
    }

    /// Every key that an organisation publishes; none where there is no such organisation.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``
    package func all(of tenant: TenantID) async throws -> [TenantKey] {
        let now = environment.now()
        let known = loaded.withLock { $0[tenant] }
        if let known, known.at <= now, now < known.at + Self.freshness { return known.keys }
        let rows = try await database.read { connection in
            try connection.rows(of: TenantKey.self, "WHERE tenant = \(tenant) ORDER BY created DESC, id")
        }
        let keys = try rows.map { row in
            let id: String = try row[.id]
            return try known?.keys.first { $0.id == id } ?? key(row, id: id, tenant: tenant)
        }
        guard !keys.isEmpty else { return [] }
        loaded.withLock { $0[tenant] = Loaded(keys: keys, at: now) }
        return keys
    }

    private func key(_ row: TableRow<TenantKey>, id: String, tenant: TenantID) throws -> TenantKey {
        let created: Timestamp = try row[.created]
        return try TenantKey(
            stored: try storageKey.open(try row[.sealedPrivateKey], purpose: Self.purpose(tenant, id)),
            try row[.algorithm], created: created, signs: max(created, try row[.signs]))
    }

    /// The key that signs now.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``
    package func current(of tenant: TenantID, _ algorithm: SignatureAlgorithm = .rs256) async throws -> TenantKey {
        guard let key = KeySchedule.signing(try await all(of: tenant), algorithm, at: environment.now()) else {
            throw StorageError(.unexpectedValue, "the organisation has no signing key of the algorithm")
        }
        return key
    }

    /// Keeps a key, its private half sealed for its row. ``forget(_:)`` has to follow the commit.
    ///
    /// - Throws: ``StorageError``, or the library's error.
    func add(_ key: TenantKey, stored: [UInt8], tenant: TenantID, _ connection: any Connection) throws {
        let sealed = try storageKey.seal(stored, purpose: Self.purpose(tenant, key.id))
        try connection.insert(
            into: TenantKey.self,
            [
                .tenant: tenant, .id: key.id, .algorithm: key.algorithm, .sealedPrivateKey: sealed,
                .created: key.created, .signs: key.signs,
            ])
    }

    /// Removes a key for good. ``forget(_:)`` has to follow the commit.
    ///
    /// - Throws: ``StorageError``
    func remove(_ key: TenantKey, tenant: TenantID, _ connection: any Connection) throws {
        try connection.execute("DELETE FROM signingKey WHERE tenant = \(tenant) AND id = \(key.id)")
    }

    /// Asks the database again at the next use.
    func forget(_ tenant: TenantID) { loaded.withLock { $0[tenant] = nil } }

    private static func purpose(_ tenant: TenantID, _ id: String) -> String { "signing key \(tenant) \(id)" }
}

/// When a signing key is published, signs and goes; all of it follows from the keys' two times, so that a restart forgets
/// nothing. A key is published before it signs, and stays published until the last token that it may have signed is over.
struct KeySchedule: Sendable {
    /// How long a new key is published before it signs.
    let publication: Duration
    /// The age at which a key gets a successor.
    let age: Duration
    /// How long the longest-lived token is good.
    let longestToken: Duration

    /// For clocks that differ, and for what another process has read before.
    static let tolerance = Duration.seconds(600)

    /// The algorithms that every organisation has a key of.
    static let algorithms: [SignatureAlgorithm] = [.rs256, .es256]

    /// The key that signs: the latest whose time has come. Where there is none yet, the one whose time comes first.
    static func signing(_ keys: [TenantKey], _ algorithm: SignatureAlgorithm, at now: Timestamp) -> TenantKey? {
        let keys = keys.filter { $0.algorithm == algorithm }
        return keys.filter { $0.signs <= now }.max { $0.signs < $1.signs } ?? keys.min { $0.signs < $1.signs }
    }

    /// Whether a key waits for its time.
    static func isPending(_ keys: [TenantKey], at now: Timestamp) -> Bool { keys.contains { $0.signs > now } }

    /// The algorithms whose key is due for a successor.
    func due(_ keys: [TenantKey], at now: Timestamp) -> [SignatureAlgorithm] {
        Self.algorithms.filter { algorithm in
            let newest = keys.filter { $0.algorithm == algorithm }.map(\.signs).max()
            return newest.map { $0 + age <= now } ?? true
        }
    }

    /// The keys that can have signed nothing that still is good.
    func obsolete(_ keys: [TenantKey], at now: Timestamp) -> [TenantKey] {
        keys.filter { key in
            keys.contains { other in
                other.algorithm == key.algorithm && other.signs > key.signs
                    && other.signs + longestToken + Self.tolerance <= now
            }
        }
    }
}
