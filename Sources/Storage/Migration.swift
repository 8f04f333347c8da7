// SPDX-License-Identifier: Apache-2.0

/// One step of a schema's history. Each step is applied once, in order, and must not be edited afterwards.
package struct Migration: Sendable {
    package let id: String
    let statements: [SQL]

    package init(_ id: String, _ statements: [SQL]) {
        self.id = id
        self.statements = statements
    }

    /// The FNV-1a hash of the text. It detects accidental edits, not deliberate ones.
    var checksum: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in statements.map({ $0.text { "?\($0)" } }).joined(separator: ";\n").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}

extension Connection {
    /// Applies those `migrations` that the database does not have yet, all in this connection's transaction.
    ///
    /// Steps are identified by id, not by position, because a step may be added to one feature's list after the steps
    /// of later features were applied. A step may depend only on steps before it in the list.
    ///
    /// - Throws: ``StorageError`` `newer` if the database has steps that the program does not know; `migrationChanged`
    ///   if the text of an applied step has changed or two steps have the same id.
    package func apply(_ migrations: [Migration]) throws {
        try execute(
            """
            CREATE TABLE IF NOT EXISTS migration (
                id TEXT NOT NULL PRIMARY KEY, position BIGINT NOT NULL UNIQUE, checksum TEXT NOT NULL)
            """)
        let rows = try rows("SELECT id, checksum FROM migration ORDER BY position")
        let applied: [String: String] = Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0["id"], try $0["checksum"]) })
        let known = Set(migrations.map(\.id))
        guard known.count == migrations.count else {
            throw StorageError(.migrationChanged, "two steps have the same id")
        }
        guard known.isSuperset(of: applied.keys) else {
            throw StorageError(.newer, "the database is newer than this program; start the newer program")
        }
        var position = applied.count
        for migration in migrations {
            if let checksum = applied[migration.id] {
                guard checksum == migration.checksum else {
                    throw StorageError(.migrationChanged, "step \(migration.id) differs from the one applied")
                }
                continue
            }
            for statement in migration.statements { try execute(statement) }
            try execute(
                """
                INSERT INTO migration (id, position, checksum)
                VALUES (\(migration.id), \(position), \(migration.checksum))
                """)
            position += 1
        }
    }
}
