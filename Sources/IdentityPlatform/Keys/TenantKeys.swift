// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage
internal import Synchronization

/// The signing keys of all organisations, read once each.
package final class TenantKeys: Sendable {
    private let database: any Database
    private let storageKey: StorageKey
    private let loaded = Mutex<[TenantID: [TenantKey]]>([:])

    init(database: any Database, storageKey: StorageKey) {
        (self.database, self.storageKey) = (database, storageKey)
    }

    /// Every key of an organisation, the one that signs first; none where there is no such organisation.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``
    package func all(of tenant: TenantID) async throws -> [TenantKey] {
        if let keys = loaded.withLock({ $0[tenant] }) { return keys }
        let rows = try await database.read { connection in
            try connection.rows(
                "SELECT id, sealedPrivateKey FROM signingKey WHERE tenant = \(tenant) ORDER BY created DESC, id")
        }
        let keys = try rows.map { row in
            try TenantKey(
                stored: try storageKey.open(try row.bytes(1), purpose: Self.purpose(tenant, try row.text(0))))
        }
        guard !keys.isEmpty else { return [] }
        loaded.withLock { $0[tenant] = keys }
        return keys
    }

    /// The key that signs.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``
    package func current(of tenant: TenantID) async throws -> TenantKey {
        guard let key = try await all(of: tenant).first else {
            throw StorageError(.unexpectedValue, "the organisation has no signing key")
        }
        return key
    }

    /// Keeps a key, its private half sealed for its row.
    ///
    /// - Throws: ``StorageError``, or the library's error.
    func add(
        _ key: TenantKey, stored: [UInt8], tenant: TenantID, at time: Timestamp, _ connection: any Connection
    ) throws {
        let sealed = try storageKey.seal(stored, purpose: Self.purpose(tenant, key.id))
        try connection.execute(
            """
            INSERT INTO signingKey (tenant, id, algorithm, sealedPrivateKey, created)
            VALUES (\(tenant), \(key.id), \(key.verification.algorithm), \(sealed), \(time))
            """)
    }

    private static func purpose(_ tenant: TenantID, _ id: String) -> String { "signing key \(tenant) \(id)" }
}
