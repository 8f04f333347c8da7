// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The content of one schema of a PostgreSQL database. Servers may use it meanwhile.
package struct PostgreSQLSource: SnapshotSource {
    package let layout: DatabaseLayout
    private let database: PostgreSQLDatabase

    package var catalogue: Catalogue { .postgreSQL }

    /// Connects to the server.
    ///
    /// - Throws: ``TransferError`` `sourceMissing`, `newer`, `schemaDiffers`; ``StorageError``, `CancellationError`
    package init(_ configuration: PostgreSQLConfiguration, schema: EngineSchema) async throws {
        database = try await PostgreSQLDatabase(unprepared: configuration.forTransfer)
        let steps = try await database.read { try $0.appliedSteps() }
        guard let steps else {
            throw TransferError(.sourceMissing, "the schema \(configuration.schema) has no tables of Baton")
        }
        layout = try await schema.layout(of: steps)
    }

    package func snapshot<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.snapshot(body)
    }
}

extension PostgreSQLConfiguration {
    /// The configuration for a transfer: the same server, one connection, and more time for large statements.
    var forTransfer: PostgreSQLConfiguration {
        var configuration = self
        configuration.limits.connections = 1
        configuration.limits.statement = max(limits.statement, .seconds(120))
        return configuration
    }
}

extension Connection {
    /// Returns the applied steps of the current schema; nil if the schema has no tables.
    ///
    /// - Throws: ``TransferError`` `foreignTables` if the schema has tables but none of Baton's.
    func appliedSteps() throws -> [RecordedStep]? {
        let tables = try Catalogue.postgreSQL.tables(self)
        guard !tables.isEmpty else { return nil }
        guard tables.contains("migration") else {
            throw TransferError(.foreignTables, "the schema has tables, and none of them is Baton's: \(tables[0])")
        }
        return try RecordedStep.all(self)
    }
}
