// SPDX-License-Identifier: Apache-2.0

/// A table, with the one list of its columns. Statements that read or insert rows take the names from there.
///
///     struct Tenant: Record {
///         static let table = "tenant"
///         enum Column: String, ColumnName { case id, displayName }
///
///         init(_ row: TableRow<Tenant>) throws { (id, displayName) = (try row[.id], try row[.displayName]) }
///     }
///
///     try connection.record(Tenant.self, "WHERE id = \(id)")
package protocol Table: SendableMetatype {
    associatedtype Column: ColumnName
    /// The table's name.
    static var table: String { get }
    /// The columns that are not read with a row; they are asked for by name.
    static var unread: Set<Column> { get }
}

extension Table {
    package static var unread: Set<Column> { [] }

    /// The columns that are read with a row.
    fileprivate static var columns: [String] { Column.allCases.filter { !unread.contains($0) }.map(\.rawValue) }
}

/// The columns of a table, each case's raw value the name of one.
package protocol ColumnName: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {}

/// A value that one row of a table stands for.
package protocol Record: Table, Sendable {
    /// - Throws: ``StorageError`` `unexpectedValue` where the row is not one of the program's.
    init(_ row: TableRow<Self>) throws
}

/// One row of a table.
package struct TableRow<Source: Table>: Sendable {
    let row: Row

    /// The value of a column.
    ///
    /// - Throws: ``StorageError`` `unexpectedValue` with the column's name.
    package subscript<Value: ColumnValue>(_ column: Source.Column) -> Value {
        get throws { try row[column.rawValue] }
    }
}

extension Connection {
    /// The rows of a table that the rest of the statement chooses: `WHERE`, `ORDER BY`, `LIMIT`.
    ///
    /// - Throws: ``StorageError``
    package func rows<Source: Table>(of source: Source.Type, _ rest: SQL) throws -> [TableRow<Source>] {
        try rows("SELECT \(names: Source.columns) FROM \(names: [Source.table]) \(rest)").map(TableRow.init)
    }

    /// The only row that the rest of the statement chooses.
    ///
    /// - Throws: ``StorageError``, also when there is more than one row.
    package func row<Source: Table>(of source: Source.Type, _ rest: SQL) throws -> TableRow<Source>? {
        try row("SELECT \(names: Source.columns) FROM \(names: [Source.table]) \(rest)").map(TableRow.init)
    }

    /// The records that the rest of the statement chooses.
    ///
    /// - Throws: ``StorageError``
    package func records<Item: Record>(_ type: Item.Type, _ rest: SQL) throws -> [Item] {
        try rows(of: type, rest).map(Item.init)
    }

    /// The only record that the rest of the statement chooses.
    ///
    /// - Throws: ``StorageError``, also when there is more than one row.
    package func record<Item: Record>(_ type: Item.Type, _ rest: SQL) throws -> Item? {
        try row(of: type, rest).map(Item.init)
    }

    /// One column of the rows that the rest of the statement chooses.
    ///
    /// - Throws: ``StorageError``
    package func values<Source: Table, Value: ColumnValue>(
        _ column: Source.Column, of source: Source.Type, _ rest: SQL
    ) throws -> [Value] {
        try rows("SELECT \(names: [column.rawValue]) FROM \(names: [Source.table]) \(rest)").map { row in
            try row[column.rawValue]
        }
    }

    /// One column, never NULL, of the only row that the rest of the statement chooses; nil where there is no row.
    ///
    /// - Throws: ``StorageError``, also when the column is NULL or there is more than one row.
    package func value<Source: Table, Value: ColumnValue>(
        _ column: Source.Column, of source: Source.Type, _ rest: SQL
    ) throws -> Value? {
        try row("SELECT \(names: [column.rawValue]) FROM \(names: [Source.table]) \(rest)").map { row in
            try row[column.rawValue]
        }
    }

    @available(*, unavailable, message: "A column that may be NULL is read by optionalValue.")
    package func value<Source: Table, Value: ColumnValue>(
        _ column: Source.Column, of source: Source.Type, _ rest: SQL
    ) throws -> Value?? {
        nil
    }

    /// One column that may be NULL of the only row that the rest of the statement chooses; nil where it is NULL, and where
    /// there is no row.
    ///
    /// ``value(_:of:_:)`` is for columns that are never NULL: to it a NULL is a value of the wrong type.
    ///
    /// - Throws: ``StorageError``, also when there is more than one row.
    package func optionalValue<Source: Table, Value: ColumnValue>(
        _ column: Source.Column, of source: Source.Type, _ rest: SQL
    ) throws -> Value? {
        guard let row = try row("SELECT \(names: [column.rawValue]) FROM \(names: [Source.table]) \(rest)") else {
            return nil
        }
        let value: Optional<Value> = try row[column.rawValue]
        return value
    }

    /// How many rows the rest of the statement chooses.
    ///
    /// - Throws: ``StorageError``
    package func count(of source: (some Table).Type, _ rest: SQL) throws -> Int {
        try row("SELECT COUNT(*) AS count FROM \(names: [source.table]) \(rest)")?["count"] ?? 0
    }

    /// Whether the rest of the statement chooses a row.
    ///
    /// - Throws: ``StorageError``
    package func exists(_ source: (some Table).Type, _ rest: SQL) throws -> Bool {
        try !rows("SELECT 1 AS found FROM \(names: [source.table]) \(rest) LIMIT 1").isEmpty
    }

    /// Adds a row; the columns that are not named get the schema's default.
    ///
    /// - Parameter rest: what follows the values, such as `ON CONFLICT … DO NOTHING`.
    /// - Returns: how many rows were added or changed.
    /// - Throws: ``StorageError`` `conflict` where a unique key is taken already.
    @discardableResult
    package func insert<Source: Table>(
        into source: Source.Type, _ values: KeyValuePairs<Source.Column, any ColumnValue>, _ rest: SQL = ""
    ) throws -> Int {
        try execute(
            """
            INSERT INTO \(names: [Source.table]) (\(names: values.map(\.key.rawValue)))
            VALUES (\(list: values.map(\.value))) \(rest)
            """)
    }

    /// Adds a row, or gives these values to the one that has the same key.
    ///
    /// - Throws: ``StorageError``
    package func upsert<Source: Table>(
        into source: Source.Type, key: [Source.Column], _ values: KeyValuePairs<Source.Column, any ColumnValue>
    ) throws {
        let changed = values.map(\.key).filter { !key.contains($0) }
            .map { "\($0.rawValue) = excluded.\($0.rawValue)" }
        try insert(
            into: source, values,
            "ON CONFLICT (\(names: key.map(\.rawValue))) DO UPDATE SET \(names: changed)")
    }
}

extension SQL.Interpolation {
    /// Writes the name of a column.
    package mutating func appendInterpolation(column: some ColumnName) { appendLiteral(column.rawValue) }

    /// Writes names of tables and columns, which the program knows.
    fileprivate mutating func appendInterpolation(names: [String]) {
        appendLiteral(names.joined(separator: ", "))
    }

    fileprivate mutating func appendInterpolation(list values: [any ColumnValue]) {
        for (index, value) in values.enumerated() {
            if index > 0 { appendLiteral(", ") }
            appendInterpolation(value)
        }
    }
}
