// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage
internal import Synchronization

/// The signing keys of all organisations, read once each.
package final class TenantKeys: Sendable {
    private let database: any Database
    private let loaded = Mutex<[TenantID: [TenantKey]]>([:])

    init(database: any Database) { self.database = database }

    /// Every key of an organisation, the one that signs first; none where there is no such organisation.
    ///
    /// - Throws: ``StorageError``
    package func all(of tenant: TenantID) async throws -> [TenantKey] {
        if let keys = loaded.withLock({ $0[tenant] }) { return keys }
        let keys = try await database.read { connection in
            try connection.rows(
                "SELECT privateKey FROM signingKey WHERE tenant = \(tenant) ORDER BY created DESC, id"
            ).map { try TenantKey(stored: try $0.bytes(0)) }
        }
        guard !keys.isEmpty else { return [] }
        loaded.withLock { $0[tenant] = keys }
        return keys
    }

    /// The key that signs.
    ///
    /// - Throws: ``StorageError``
    package func current(of tenant: TenantID) async throws -> TenantKey {
        guard let key = try await all(of: tenant).first else {
            throw StorageError(.unexpectedValue, "the organisation has no signing key")
        }
        return key
    }

    static func add(
        _ key: TenantKey, stored: [UInt8], tenant: TenantID, at time: Timestamp, _ connection: any Connection
    ) throws {
        try connection.execute(
            """
            INSERT INTO signingKey (tenant, id, algorithm, privateKey, created)
            VALUES (\(tenant), \(key.id), \(key.verification.algorithm), \(stored), \(time))
            """)
    }
}
