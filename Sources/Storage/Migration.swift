// SPDX-License-Identifier: Apache-2.0

/// One step of a schema's history: applied once, in order, never edited afterwards.
package struct Migration: Sendable {
    package let id: String
    let statements: [SQL]

    package init(_ id: String, _ statements: [SQL]) {
        self.id = id
        self.statements = statements
    }

    /// FNV-1a over the text: finds an edit made by mistake, not one made with intent.
    var checksum: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in statements.map({ $0.text { "?\($0)" } }).joined(separator: ";\n").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}

extension Connection {
    /// Brings the schema up to `migrations`, all in the transaction of this connection.
    ///
    /// - Throws: ``StorageError`` `newer` when the database knows steps that the program does not, `migrationChanged`
    ///   when an applied step reads differently now.
    func apply(_ migrations: [Migration]) throws {
        try execute(
            """
            CREATE TABLE IF NOT EXISTS migration (
                position BIGINT NOT NULL PRIMARY KEY, id TEXT NOT NULL UNIQUE, checksum TEXT NOT NULL)
            """)
        let applied = try rows("SELECT id, checksum FROM migration ORDER BY position")
        guard applied.count <= migrations.count else {
            throw StorageError(.newer, "the database is newer than this program; start the newer program")
        }
        for (row, migration) in zip(applied, migrations) {
            guard try row.text(0) == migration.id, try row.text(1) == migration.checksum else {
                throw StorageError(.migrationChanged, "step \(migration.id) differs from the one applied")
            }
        }
        for (position, migration) in migrations.enumerated().dropFirst(applied.count) {
            for statement in migration.statements { try execute(statement) }
            try execute(
                """
                INSERT INTO migration (position, id, checksum)
                VALUES (\(position), \(migration.id), \(migration.checksum))
                """)
        }
    }
}
