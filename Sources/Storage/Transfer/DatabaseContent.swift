// SPDX-License-Identifier: Apache-2.0

/// The rows of a whole database in one unchanging state, which can be read any number of times.
package protocol DatabaseContent: Sendable {
    var layout: DatabaseLayout { get }

    /// Passes each table and its rows to `body`, in the order of `layout.tables`. Blocks the thread.
    ///
    /// - Throws: ``StorageError``, ``TransferError``, or the error of `body`.
    func forEachTable(_ body: (TableLayout, any RowCursor) throws -> Void) throws
}

/// A database from which one consistent state can be read while other transactions write.
package protocol SnapshotSource: Sendable {
    var layout: DatabaseLayout { get }
    var catalogue: Catalogue { get }

    /// Passes one unchanging state of the database to `body`, which runs once.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, or the error of `body`.
    func snapshot<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T
}

/// How far a transfer has progressed.
package struct TransferProgress: Sendable, Equatable {
    package enum Phase: String, Sendable { case reading, writing, comparing }

    package let phase: Phase
    package let database: String
    package let table: String
    /// The table's number among the database's tables, counted from 1.
    package let number: Int
    /// How many tables the database has.
    package let tables: Int
    /// How many rows of the table are done.
    package let rows: Int
    /// Whether the table is done.
    package let isComplete: Bool

    package typealias Report = @Sendable (TransferProgress) -> Void
}

extension DatabaseContent {
    /// Creates the tables in a database that has none of them, and inserts the rows, in the connection's transaction.
    ///
    /// - Returns: the number of rows.
    /// - Throws: ``StorageError``, ``TransferError``
    @discardableResult
    package func load(into connection: any Connection, _ report: TransferProgress.Report) throws -> Int {
        try connection.apply(layout.migrations)
        var sum = 0
        try forEachTable { table, cursor in
            if table.name == TableLayout.migrations {
                // `apply` has already inserted the rows of this table, and the comparison checks them.
                while try cursor.next() != nil {}
                return
            }
            let count = try table.insert(cursor, into: connection) { count in
                report(layout.progress(.writing, table, rows: count, isComplete: false))
            }
            report(layout.progress(.writing, table, rows: count, isComplete: true))
            sum += count
        }
        return sum
    }

    /// Compares every row and every column with those of another database.
    ///
    /// - Returns: the number of rows.
    /// - Throws: ``TransferError`` `rowsDiffer`, `schemaDiffers`; ``StorageError``
    @discardableResult
    package func compare(
        with other: some SnapshotSource, _ report: @escaping TransferProgress.Report
    ) async throws -> Int {
        try await other.snapshot { connection in
            try layout.check(connection, catalogue: other.catalogue)
            var sum = 0
            try forEachTable { table, cursor in
                let others = TableRows(of: table, connection)
                var count = 0
                while true {
                    let (row, same) = (try cursor.next(), try others.next())
                    guard row == same else { throw layout.difference(table, after: count, between: row, and: same) }
                    guard row != nil else { break }
                    count += 1
                    if count.isMultiple(of: 1000) {
                        report(layout.progress(.comparing, table, rows: count, isComplete: false))
                    }
                }
                report(layout.progress(.comparing, table, rows: count, isComplete: true))
                sum += count
            }
            return sum
        }
    }
}

extension DatabaseLayout {
    func progress(_ phase: TransferProgress.Phase, _ table: TableLayout, rows: Int, isComplete: Bool)
        -> TransferProgress
    {
        TransferProgress(
            phase: phase, database: name, table: table.name,
            number: (tables.firstIndex { $0.name == table.name } ?? 0) + 1, tables: tables.count, rows: rows,
            isComplete: isComplete)
    }

    fileprivate func difference(
        _ table: TableLayout, after count: Int, between left: [SQL.Value]?, and right: [SQL.Value]?
    ) -> TransferError {
        let place = "table \(table.name) of the database \(name), row \(count + 1)"
        guard let left, let right else { return TransferError(.rowsDiffer, "\(place): it is in only one of the two") }
        let names = table.columns.indices.filter { left[$0] != right[$0] }.map { table.columns[$0].name }
        return TransferError(.rowsDiffer, "\(place): \(names.joined(separator: ", "))")
    }
}
