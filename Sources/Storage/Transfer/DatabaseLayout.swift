// SPDX-License-Identifier: Apache-2.0

/// A table: its columns and its primary key.
package struct TableLayout: Sendable, Equatable {
    package let name: String
    let columns: [Column]
    /// The indices of the key's columns in `columns`.
    let key: [Int]

    struct Column: Sendable, Equatable {
        let name: String
        let type: ColumnType
    }

    enum ColumnType: String, Sendable {
        case text = "TEXT"
        case integer = "BIGINT"
        case blob = "BLOB"
    }

    /// The table in which every database records its schema's steps. It is filled when the tables are created.
    static let migrations = "migration"
}

/// The tables of one engine's database, in the schema version that the database has.
package struct DatabaseLayout: Sendable {
    /// The engine's name, such as `identity`.
    package let name: String
    /// The applied steps of the schema, in the order in which they were applied.
    let migrations: [Migration]
    /// All tables. A table comes after the tables that its foreign keys refer to.
    let tables: [TableLayout]
}

/// An engine's name and the steps of its schema that this program knows.
package struct EngineSchema: Sendable {
    package let name: String
    package let migrations: [Migration]

    package init(name: String, migrations: [Migration]) { (self.name, self.migrations) = (name, migrations) }

    /// Returns the names of the tables of a database with these applied steps.
    ///
    /// - Throws: ``TransferError`` `newer`, `schemaDiffers`; ``StorageError``
    package func tables(after steps: [RecordedStep]) async throws -> Set<String> {
        Set(try await layout(of: steps).tables.map(\.name))
    }

    /// Returns the tables of a database with these applied steps, which may be fewer than the program knows.
    ///
    /// The tables are read from an empty database to which the same steps were applied.
    ///
    /// - Throws: ``TransferError`` `newer` if the program does not know a step, `schemaDiffers` if a step has changed;
    ///   ``StorageError``
    package func layout(of steps: [RecordedStep]) async throws -> DatabaseLayout {
        let known = Dictionary(migrations.map { ($0.id, $0) }) { first, _ in first }
        guard !steps.isEmpty, Set(steps.map(\.id)).count == steps.count else {
            throw TransferError(.schemaDiffers, "the database \(name) does not record its schema's steps")
        }
        let applied = try steps.map { step in
            guard let migration = known[step.id] else {
                throw TransferError(
                    .newer, "the database \(name) has a step that this program does not know; use the newer program")
            }
            guard migration.checksum == step.checksum else {
                throw TransferError(.schemaDiffers, "in the database \(name), the step \(step.id) has other contents")
            }
            return migration
        }
        let empty = try await SQLiteDatabase(inMemoryWith: applied)
        let tables = try await empty.read { try $0.tablesOfSQLite() }
        return DatabaseLayout(name: name, migrations: applied, tables: try Self.sorted(tables))
    }

    /// Sorts the tables so that each comes after the tables that it refers to.
    private static func sorted(_ tables: [(table: TableLayout, parents: Set<String>)]) throws -> [TableLayout] {
        var (rest, sorted) = (tables, [TableLayout]())
        while !rest.isEmpty {
            let open = Set(rest.map(\.table.name))
            let ready = rest.filter { $0.parents.isDisjoint(with: open) }
            guard !ready.isEmpty else {
                throw TransferError(.schemaDiffers, "foreign keys form a circle between \(open.sorted())")
            }
            sorted += ready.map(\.table)
            rest.removeAll { entry in ready.contains { $0.table == entry.table } }
        }
        return sorted
    }
}

/// A step of the schema that was applied to a database.
package struct RecordedStep: Codable, Sendable, Equatable {
    package let id: String
    package let checksum: String

    /// Returns the steps of a database, in the order in which they were applied.
    ///
    /// - Throws: ``StorageError``
    package static func all(_ connection: any Connection) throws -> [RecordedStep] {
        try connection.rows("SELECT id, checksum FROM migration ORDER BY position").map {
            RecordedStep(id: try $0["id"], checksum: try $0["checksum"])
        }
    }
}

extension DatabaseLayout {
    var steps: [RecordedStep] { migrations.map { RecordedStep(id: $0.id, checksum: $0.checksum) } }

    /// Checks that the database has exactly these tables, columns and steps of the schema, and that all its texts can
    /// be read.
    ///
    /// - Throws: ``TransferError`` `schemaDiffers`, `valueUnsupported`; ``StorageError``
    package func check(_ connection: any Connection, catalogue: Catalogue) throws {
        let present = try catalogue.columns(connection)
        let expected = Set(tables.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } })
        guard present == expected else {
            let names = present.symmetricDifference(expected).sorted().prefix(5).joined(separator: ", ")
            throw TransferError(.schemaDiffers, "the tables of the database \(name) are not as expected: \(names)")
        }
        guard try RecordedStep.all(connection) == steps else {
            throw TransferError(.schemaDiffers, "the schema of the database \(name) has just changed; start again")
        }
        if catalogue == .sqlite { try refuseCutTexts(connection) }
    }

    /// Refuses texts that contain U+0000. The server never writes such a text, and would read it only up to that
    /// character.
    private func refuseCutTexts(_ connection: any Connection) throws {
        for table in tables {
            for column in table.columns where column.type == .text {
                let found = try connection.rows(
                    SQL(
                        stringLiteral: """
                            SELECT 1 AS found FROM \(table.name)
                            WHERE instr(CAST(\(column.name) AS BLOB), x'00') > 0 LIMIT 1
                            """))
                guard found.isEmpty else {
                    throw TransferError(
                        .valueUnsupported,
                        "a value in the column \(column.name) of the table \(table.name) contains the character U+0000")
                }
            }
        }
    }
}

/// The kind of a database, with the statements that list its tables and columns. Only these statements differ between
/// the two kinds.
package enum Catalogue: String, Codable, Sendable {
    case sqlite
    case postgreSQL = "postgresql"

    /// Returns the names of all tables.
    ///
    /// - Throws: ``StorageError``
    package func tables(_ connection: any Connection) throws -> [String] {
        let rows =
            switch self {
            case .sqlite:
                try connection.rows(
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
            case .postgreSQL:
                try connection.rows(
                    """
                    SELECT table_name AS name FROM information_schema.tables
                    WHERE table_schema = current_schema() ORDER BY table_name
                    """)
            }
        return try rows.map { try $0["name"] }
    }

    /// Returns the names of all columns, each after its table's name and a dot.
    fileprivate func columns(_ connection: any Connection) throws -> Set<String> {
        let rows =
            switch self {
            case .sqlite:
                try connection.rows(
                    """
                    SELECT present.name AS parent, field.name AS name
                    FROM sqlite_master AS present JOIN pragma_table_info(present.name) AS field
                    WHERE present.type = 'table' AND present.name NOT LIKE 'sqlite%'
                    """)
            case .postgreSQL:
                try connection.rows(
                    """
                    SELECT table_name AS parent, column_name AS name FROM information_schema.columns
                    WHERE table_schema = current_schema()
                    """)
            }
        return Set(
            try rows.map { row in
                let (table, column): (String, String) = (try row["parent"], try row["name"])
                return "\(table).\(column)"
            })
    }
}

extension Connection {
    /// Returns the tables of an SQLite database, each with the tables that its foreign keys refer to.
    fileprivate func tablesOfSQLite() throws -> [(table: TableLayout, parents: Set<String>)] {
        try Catalogue.sqlite.tables(self).map { name in
            let columns = try rows("SELECT name, type, pk FROM pragma_table_info(\(name)) ORDER BY cid")
            let keyed = try columns.indices.map { (place: $0, order: try columns[$0]["pk"] as Int) }
                .filter { $0.order > 0 }.sorted { $0.order < $1.order }
            guard !keyed.isEmpty else { throw TransferError(.schemaDiffers, "the table \(name) has no primary key") }
            let layout = TableLayout(
                name: name,
                columns: try columns.map { row in
                    let type: String = try row["type"]
                    guard let type = TableLayout.ColumnType(rawValue: type) else {
                        throw TransferError(.schemaDiffers, "the table \(name) has a column of the type \(type)")
                    }
                    return TableLayout.Column(name: try row["name"], type: type)
                }, key: keyed.map(\.place))
            let parents: [String] = try rows("SELECT \"table\" AS parent FROM pragma_foreign_key_list(\(name))").map {
                try $0["parent"]
            }
            return (layout, Set(parents).subtracting([name]))
        }
    }
}
