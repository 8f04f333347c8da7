// SPDX-License-Identifier: Apache-2.0
private import Synchronization

/// A table and the single list of its columns. Statements that read or insert rows take the column names from that
/// list.
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
    /// Columns that are left out when a row is read. They are read only individually, by name.
    static var unread: Set<Column> { get }
}

extension Table {
    package static var unread: Set<Column> { [] }

    /// The names of the columns that are read for each row, separated by commas.
    static var columnList: String { columns.list }

    /// The columns that are read for each row.
    fileprivate static var columns: ReadColumns {
        ReadColumns.known.withLock { known in
            if let columns = known[ObjectIdentifier(self)] { return columns }
            let columns = ReadColumns(
                Column.allCases.filter { !unread.contains($0) }.map { $0.rawValue }, of: table)
            known[ObjectIdentifier(self)] = columns
            return columns
        }
    }
}

/// The names of the columns that are read from a table, and the text that selects them. Both are made once for each
/// table.
private struct ReadColumns {
    /// The columns of each table that has been used, keyed by the table's type.
    static let known = Mutex<[ObjectIdentifier: ReadColumns]>([:])

    let names: [String]
    /// The names, separated by commas.
    let list: String
    /// The same names, each preceded by the table's name and a dot.
    let qualifiedList: String

    init(_ names: [String], of table: String) {
        self.names = names
        list = names.joined(separator: ", ")
        qualifiedList = names.map { "\(table).\($0)" }.joined(separator: ", ")
    }
}

extension ArraySlice<SQL.Value> {
    /// Removes the values of one record's columns from the front, and returns the record. Returns nil if all of the
    /// values are NULL, which means that the join found no row.
    fileprivate mutating func takeRecord<Item: Record>() throws -> Item? {
        let names = Item.columns.names
        let own = Array(prefix(names.count))
        self = dropFirst(names.count)
        guard own.contains(where: { $0 != .null }) else { return nil }
        return try Item(TableRow(row: Row(names: names, values: own)))
    }
}

/// The columns of a table. Each case's raw value is a column name.
package protocol ColumnName: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {}

/// A value that is stored as one row of a table.
package protocol Record: Table, Sendable {
    /// - Throws: ``StorageError`` `unexpectedValue` if the row is malformed.
    init(_ row: TableRow<Self>) throws
}

/// One row of a table.
package struct TableRow<Source: Table>: Sendable {
    let row: Row

    /// Returns the value of a column.
    ///
    /// - Throws: ``StorageError`` `unexpectedValue` with the column's name.
    package subscript<Value: ColumnValue>(_ column: Source.Column) -> Value {
        get throws { try row[column.rawValue] }
    }
}

extension Connection {
    /// Returns the rows selected by the rest of the statement: `WHERE`, `ORDER BY`, `LIMIT`.
    ///
    /// - Throws: ``StorageError``
    package func rows<Source: Table>(of source: Source.Type, _ rest: SQL) throws -> [TableRow<Source>] {
        try rows("SELECT \(text: Source.columns.list) FROM \(text: Source.table) \(rest)").map(TableRow.init)
    }

    /// Returns the only row selected by the rest of the statement, or nil.
    ///
    /// - Throws: ``StorageError``, including when there is more than one row.
    package func row<Source: Table>(of source: Source.Type, _ rest: SQL) throws -> TableRow<Source>? {
        try row("SELECT \(text: Source.columns.list) FROM \(text: Source.table) \(rest)").map(TableRow.init)
    }

    /// Returns the records selected by the rest of the statement.
    ///
    /// - Throws: ``StorageError``
    package func records<Item: Record>(_ type: Item.Type, _ rest: SQL) throws -> [Item] {
        try rows(of: type, rest).map(Item.init)
    }

    /// Returns the only record selected by the rest of the statement, or nil.
    ///
    /// - Throws: ``StorageError``, including when there is more than one row.
    package func record<Item: Record>(_ type: Item.Type, _ rest: SQL) throws -> Item? {
        try row(of: type, rest).map(Item.init)
    }

    /// Returns the only record selected by the rest of the statement, together with its records in two other tables, if
    /// they exist; nil if no record is selected. One statement reads them all. In each table, at least one of the
    /// columns that are read must be NOT NULL: if all of them are NULL in the result, the table has no such record.
    ///
    /// - Parameters:
    ///   - joinsSecond: the condition for a row of the second table. Each column's name must follow its table's name
    ///     and a dot.
    ///   - joinsThird: the condition for a row of the third table.
    /// - Throws: ``StorageError``, including when there is more than one row.
    package func record<First: Record, Second: Record, Third: Record>(
        _ type: First.Type, with secondType: Second.Type, on joinsSecond: SQL, and thirdType: Third.Type,
        on joinsThird: SQL, _ rest: SQL
    ) throws -> (First, Second?, Third?)? {
        let row = try row(
            """
            SELECT \(text: First.columns.qualifiedList), \(text: Second.columns.qualifiedList),
                \(text: Third.columns.qualifiedList)
            FROM \(text: First.table) LEFT JOIN \(text: Second.table) ON \(joinsSecond)
                LEFT JOIN \(text: Third.table) ON \(joinsThird) \(rest)
            """)
        guard let row else { return nil }
        var values = row.values[...]
        guard let first: First = try values.takeRecord() else {
            throw StorageError(.unexpectedValue, "a row of \(First.table) has only NULL")
        }
        let (second, third): (Second?, Third?) = (try values.takeRecord(), try values.takeRecord())
        return (first, second, third)
    }

    /// Returns one column of the rows selected by the rest of the statement.
    ///
    /// - Throws: ``StorageError``
    package func values<Source: Table, Value: ColumnValue>(
        _ column: Source.Column, of source: Source.Type, _ rest: SQL
    ) throws -> [Value] {
        try rows("SELECT \(text: column.rawValue) FROM \(text: Source.table) \(rest)").map { row in
            try row[column.rawValue]
        }
    }

    /// Returns one column of the only row selected by the rest of the statement; nil if there is no row. The column
    /// must never be NULL.
    ///
    /// - Throws: ``StorageError``, including when the column is NULL or there is more than one row.
    package func value<Source: Table, Value: ColumnValue>(
        _ column: Source.Column, of source: Source.Type, _ rest: SQL
    ) throws -> Value? {
        try row("SELECT \(text: column.rawValue) FROM \(text: Source.table) \(rest)").map { row in
            try row[column.rawValue]
        }
    }

    @available(*, unavailable, message: "A column that may be NULL is read by optionalValue.")
    package func value<Source: Table, Value: ColumnValue>(
        _ column: Source.Column, of source: Source.Type, _ rest: SQL
    ) throws -> Value?? {
        nil
    }

    /// Returns one column of the only row selected by the rest of the statement; nil if the column is NULL or if there
    /// is no row.
    ///
    /// For columns that are never NULL, use ``value(_:of:_:)``, which treats NULL as a value of the wrong type.
    ///
    /// - Throws: ``StorageError``, including when there is more than one row.
    package func optionalValue<Source: Table, Value: ColumnValue>(
        _ column: Source.Column, of source: Source.Type, _ rest: SQL
    ) throws -> Value? {
        guard let row = try row("SELECT \(text: column.rawValue) FROM \(text: Source.table) \(rest)") else {
            return nil
        }
        let value: Optional<Value> = try row[column.rawValue]
        return value
    }

    /// Returns how many rows the rest of the statement selects.
    ///
    /// - Throws: ``StorageError``
    package func count(of source: (some Table).Type, _ rest: SQL) throws -> Int {
        try row("SELECT COUNT(*) AS count FROM \(text: source.table) \(rest)")?["count"] ?? 0
    }

    /// Returns whether the rest of the statement selects any row.
    ///
    /// - Throws: ``StorageError``
    package func exists(_ source: (some Table).Type, _ rest: SQL) throws -> Bool {
        try !rows("SELECT 1 AS found FROM \(text: source.table) \(rest) LIMIT 1").isEmpty
    }

    /// Adds a row. Columns that are not named get the schema's default.
    ///
    /// - Parameter rest: the text after the values, such as `ON CONFLICT … DO NOTHING`.
    /// - Returns: how many rows were added or changed.
    /// - Throws: ``StorageError`` `conflict` if a unique key is already taken.
    @discardableResult
    package func insert<Source: Table>(
        into source: Source.Type, _ values: KeyValuePairs<Source.Column, any ColumnValue>, _ rest: SQL = ""
    ) throws -> Int {
        try execute(
            """
            INSERT INTO \(text: Source.table) (\(names: values.map { $0.key.rawValue }))
            VALUES (\(list: values.map { $0.value })) \(rest)
            """)
    }

    /// Adds a row, or updates the row with the same key.
    ///
    /// - Throws: ``StorageError``
    package func upsert<Source: Table>(
        into source: Source.Type, key: [Source.Column], _ values: KeyValuePairs<Source.Column, any ColumnValue>
    ) throws {
        let changed = values.map { $0.key }.filter { !key.contains($0) }
            .map { "\($0.rawValue) = excluded.\($0.rawValue)" }
        try insert(
            into: source, values,
            "ON CONFLICT (\(names: key.map { $0.rawValue })) DO UPDATE SET \(names: changed)")
    }
}

extension SQL.Interpolation {
    /// Inserts the name of a column into the text.
    package mutating func appendInterpolation(column: some ColumnName) { appendLiteral(column.rawValue) }

    /// Inserts the name of a table, or names of columns, into the text. The names are part of the program's code.
    mutating func appendInterpolation(text: String) { appendLiteral(text) }

    /// Inserts names of columns, separated by commas, into the text.
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
