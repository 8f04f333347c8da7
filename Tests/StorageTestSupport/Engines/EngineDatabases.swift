// SPDX-License-Identifier: Apache-2.0
package import Storage
internal import TestSupport

/// Databases for the tests of one engine. Each test gets a new one that contains the engine's tables and no rows.
package final class EngineDatabases: Sendable {
    private let migrations: [Migration]
    /// The databases that the others are copies of. Each is made once, because creating the tables takes longer than
    /// most tests.
    private let embedded: Task<SQLiteDatabase, any Error>
    private let template: Task<DatabaseTemplate, any Error>?

    /// - Parameter schema: the engine's schema on PostgreSQL.
    package init(schema: String, _ migrations: [Migration]) {
        self.migrations = migrations
        embedded = Task { try await SQLiteDatabase(inMemoryWith: migrations) }
        template =
            EngineDatabase.chosen == .postgresql
            ? Task { try await DatabaseTemplate(schema: schema, migrations) } : nil
    }

    /// Returns a new database, on SQLite in memory or on PostgreSQL.
    package func make(_ kind: EngineDatabase = .chosen) async throws -> any Database {
        guard kind == .postgresql, let template else { return try SQLiteDatabase(inMemoryLike: await embedded.value) }
        return try await template.value.makeCopy()
    }

    /// Returns a copy of a database that ``make(_:)`` returned, with the rows that it has now.
    ///
    /// - Throws: ``TestProblem`` if the database is wrapped in another.
    package func copy(of database: any Database) async throws -> any Database {
        if let embedded = database as? SQLiteDatabase { return try SQLiteDatabase(inMemoryLike: embedded) }
        guard let template else { throw TestProblem("the database is wrapped") }
        return try await template.value.makeCopy(of: database)
    }
}

extension Database {
    /// The names of this database's tables, in the order in which they were created.
    package func tableNames() async throws -> [String] {
        do {
            return try await read { connection in
                try connection.rows(
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid"
                ).map { try $0["name"] }
            }
        } catch is StorageError {
            return try await read { connection in
                try connection.rows(
                    """
                    SELECT CAST(relname AS TEXT) AS name FROM pg_class
                    WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS REGNAMESPACE) ORDER BY oid
                    """
                ).map { try $0["name"] }
            }
        }
    }
}
