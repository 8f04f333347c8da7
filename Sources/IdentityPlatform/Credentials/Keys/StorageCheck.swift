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

    /// The table with the value.
    package static let table = StoredCheck.table

    /// Returns whether the key decrypts the value in the rows of ``table``; true if there is no such value.
    ///
    /// - Throws: ``StorageError``
    package static func accepts(_ key: StorageKey, rows: [Row]) throws -> Bool {
        try rows.allSatisfy { row in
            let (found, sealed): (String, [UInt8]) = (try row["name"], try row["sealed"])
            // The only error that `open` throws means that the value was sealed under another key.
            return found != name || (try? key.open(sealed, purpose: name)) != nil
        }
    }

    /// Binds a new database to the key. For any other database, checks that the key is the right one.
    ///
    /// - Throws: ``StorageKey/Failure`` `doesNotOpen` if the database is bound to a different key, ``StorageError``.
    static func confirm(_ key: StorageKey, for database: any Database) async throws {
        if let sealed = try await sealed(database) {
            _ = try key.open(sealed, purpose: name)
            return
        }
        let fresh = try key.seal(Array(name.utf8), purpose: name)
        // Another node may be started at the same moment. The node that writes first binds the database.
        let stored = try await database.write { connection in
            try connection.insert(
                into: StoredCheck.self, [.name: name, .sealed: fresh], "ON CONFLICT (name) DO NOTHING")
            return try sealed(connection)
        }
        guard let stored else { throw StorageError(.unexpectedValue, "the check of the storage key is missing") }
        _ = try key.open(stored, purpose: name)
    }

    private static func sealed(_ database: any Database) async throws -> [UInt8]? {
        try await database.read { try sealed($0) }
    }

    private static func sealed(_ connection: any Connection) throws -> [UInt8]? {
        try connection.value(.sealed, of: StoredCheck.self, "WHERE name = \(name)")
    }
}

private enum StoredCheck: Table {
    static let table = "storageCheck"
    enum Column: String, ColumnName { case name, sealed }
}
