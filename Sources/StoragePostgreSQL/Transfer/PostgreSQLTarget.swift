// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The schemas of a PostgreSQL database into which a copy or a restore writes.
///
/// All schemas are written in one transaction. If the transaction is interrupted at any point, the database stays as it
/// was.
package struct PostgreSQLTarget: Sendable {
    /// One engine's schema.
    package struct Schema: Sendable {
        /// The engine, with the steps that this program knows.
        package let engine: EngineSchema
        package let configuration: PostgreSQLConfiguration

        package init(engine: EngineSchema, configuration: PostgreSQLConfiguration) {
            (self.engine, self.configuration) = (engine, configuration)
        }
    }

    private let schemas: [Schema]
    private let database: PostgreSQLDatabase

    /// Connects to the server.
    ///
    /// - Parameter schemas: the schemas, all in the same database.
    /// - Throws: ``StorageError``, `CancellationError`
    package init(_ schemas: [Schema]) async throws {
        guard let first = schemas.first else { throw StorageError(.failed, "there is no schema to write to") }
        // Checks each schema's name.
        for schema in schemas { _ = try PostgreSQLTarget.checked(schema.configuration) }
        self.schemas = schemas
        database = try await PostgreSQLDatabase(unprepared: first.configuration.forTransfer)
    }

    private static func checked(_ configuration: PostgreSQLConfiguration) throws -> ConnectionParameters {
        do throws(Failure) { return try ConnectionParameters(configuration) } catch { throw error.thrown }
    }

    /// What a schema contains before the transfer.
    private struct Present: Sendable {
        let tables: Set<String>
        let isEmpty: Bool
    }

    /// Returns how many other connections Baton's programs have to the database.
    ///
    /// - Throws: ``StorageError``, `CancellationError`
    package func otherConnections() async throws -> Int {
        try await database.read { connection in
            try connection.row(
                """
                SELECT COUNT(*) AS count FROM pg_catalog.pg_stat_activity
                WHERE datname = current_database() AND application_name = 'baton-server' AND pid <> pg_backend_pid()
                """)?["count"] ?? 0
        }
    }

    /// Returns whether no schema has rows of Baton.
    ///
    /// - Throws: ``TransferError`` `foreignTables`, `newer`, `schemaDiffers`; ``StorageError``, `CancellationError`
    package func isEmpty() async throws -> Bool {
        for schema in schemas {
            guard try await present(schema).isEmpty else { return false }
        }
        return true
    }

    /// Writes the contents, one for each schema, and returns the number of rows.
    ///
    /// - Parameter isReplacing: whether rows of Baton in the schemas are removed first.
    /// - Throws: ``TransferError`` `targetHoldsData`, `foreignTables`, `newer`, `schemaDiffers`, `valueUnsupported`;
    ///   ``StorageError``, `CancellationError`
    @discardableResult
    package func write(
        _ contents: [any DatabaseContent], isReplacing: Bool, _ report: @escaping TransferProgress.Report
    ) async throws -> Int {
        guard contents.count == schemas.count else { throw StorageError(.failed, "each schema needs a content") }
        var present: [Present] = []
        for schema in schemas { present.append(try await self.present(schema)) }
        let writes = zip(schemas.map(\.configuration.schema), zip(present, contents)).map { ($0, $1.0, $1.1) }
        return try await database.write { connection in
            var sum = 0
            for (schema, present, content) in writes {
                try connection.enter(schema)
                let tables = try Catalogue.postgreSQL.tables(connection)
                guard Set(tables) == present.tables else {
                    throw TransferError(.schemaDiffers, "the tables of the schema \(schema) have just changed")
                }
                guard try isReplacing || !connection.hasRows(in: tables) else {
                    throw TransferError(.targetHoldsData, "the schema \(schema) holds data")
                }
                for table in tables {
                    try connection.execute(SQL(stringLiteral: "DROP TABLE \(quoted(table)) CASCADE"))
                }
                sum += try content.load(into: connection, report)
                try connection.advanceIdentityColumns()
            }
            return sum
        }
    }

    private func present(_ schema: Schema) async throws -> Present {
        let name = schema.configuration.schema
        let (steps, tables, hasRows) = try await database.read { connection in
            try connection.use(name)
            let tables = try Catalogue.postgreSQL.tables(connection)
            return (try connection.appliedSteps(), tables, try connection.hasRows(in: tables))
        }
        guard let steps else { return Present(tables: [], isEmpty: true) }
        let known = try await schema.engine.tables(after: steps)
        guard known == Set(tables) else {
            let others = known.symmetricDifference(tables).sorted().prefix(5).joined(separator: ", ")
            throw TransferError(.foreignTables, "the schema \(name) has other tables than Baton's: \(others)")
        }
        return Present(tables: known, isEmpty: !hasRows)
    }
}

extension Connection {
    /// Lets the rest of the transaction use the tables of this schema.
    fileprivate func use(_ schema: String) throws {
        try execute(SQL(stringLiteral: "SET LOCAL search_path TO \(schema), pg_temp"))
    }

    /// Lets the rest of the transaction use this schema, which is created if it is missing. A server that starts
    /// meanwhile waits until the transaction has ended.
    fileprivate func enter(_ schema: String) throws {
        _ = try rows("SELECT pg_advisory_xact_lock(\(AdvisoryLock(name: schema).key))")
        if try rows("SELECT 1 AS found FROM pg_catalog.pg_namespace WHERE nspname = \(schema)").isEmpty {
            try execute(SQL(stringLiteral: "CREATE SCHEMA \(schema)"))
        }
        try use(schema)
    }

    /// Returns whether any of the tables, other than the table of the schema's steps, has a row.
    fileprivate func hasRows(in tables: [String]) throws -> Bool {
        for table in tables where table != "migration" {
            let isEmpty = try rows(SQL(stringLiteral: "SELECT 1 AS found FROM \(quoted(table)) LIMIT 1")).isEmpty
            if !isEmpty { return true }
        }
        return false
    }

    /// Sets the next value of each identity column of the current schema to one more than the highest value. Inserting
    /// explicit values does not advance the next value.
    ///
    /// - Throws: ``StorageError``
    package func advanceIdentityColumns() throws {
        let columns = try rows(
            """
            SELECT table_name AS parent, column_name AS name FROM information_schema.columns
            WHERE table_schema = current_schema() AND (is_identity = 'YES' OR column_default LIKE 'nextval(%')
            """)
        for row in columns {
            let (table, column): (String, String) = (try row["parent"], try row["name"])
            _ = try rows(
                """
                SELECT setval(pg_get_serial_sequence(\(quoted(table)), \(column)),
                    (SELECT COALESCE(MAX(\(SQL(stringLiteral: quoted(column)))), 0) + 1
                        FROM \(SQL(stringLiteral: quoted(table)))), false) AS next
                """)
        }
    }
}

/// A name of a table or column in a statement.
private func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
