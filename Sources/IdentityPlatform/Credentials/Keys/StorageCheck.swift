// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

/// Binds a database to its storage key with a value that only that key can decrypt.
package enum StorageCheck {
    private static let name = "storage.key"

    /// Returns whether the database is already bound to a storage key.
    ///
    /// - Throws: ``StorageError``
    package static func isBound(_ database: any Database) async throws -> Bool { try await sealed(database) != nil }

    /// Binds a new database to the key. For any other database, checks that the key is the right one.
    ///
    /// - Throws: ``StorageKey/Failure`` `doesNotOpen` if the database is bound to a different key, ``StorageError``.
    static func confirm(_ key: StorageKey, for database: any Database) async throws {
        if let sealed = try await sealed(database) {
            _ = try key.open(sealed, purpose: name)
            return
        }
        let sealed = try key.seal(Array(name.utf8), purpose: name)
        try await database.write { try $0.insert(into: StoredCheck.self, [.name: name, .sealed: sealed]) }
    }

    private static func sealed(_ database: any Database) async throws -> [UInt8]? {
        try await database.read { try $0.value(.sealed, of: StoredCheck.self, "WHERE name = \(name)") }
    }
}

private enum StoredCheck: Table {
    static let table = "storageCheck"
    enum Column: String, ColumnName { case name, sealed }
}
