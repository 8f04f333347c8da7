// SPDX-License-Identifier: Apache-2.0

/// Reads the rows of one table one after the other, in the order of the primary key.
///
/// The order is the same in both databases: texts and bytes are compared byte by byte.
package protocol RowCursor: AnyObject {
    /// Returns the values of the next row, in the order of the table's columns; nil after the last row.
    ///
    /// - Throws: ``StorageError``, ``TransferError``
    func next() throws -> [SQL.Value]?
}

/// Reads rows from a database, a page at a time.
final class TableRows: RowCursor {
    private let table: TableLayout
    private let connection: any Connection
    private var page: ArraySlice<[SQL.Value]> = []
    /// The key of the last row that was read.
    private var last: [SQL.Value]?
    private var isComplete = false

    /// How many rows the next page may have.
    private var length = 8

    /// The maximum number of rows of a page.
    static let pageLength = 100
    /// The number of bytes that a page should not exceed. A row can be as long as a part of an app's package.
    static let pageBytes = 8 << 20

    init(of table: TableLayout, _ connection: any Connection) { (self.table, self.connection) = (table, connection) }

    func next() throws -> [SQL.Value]? {
        if page.isEmpty, !isComplete {
            page = try connection.rows(table.page(after: last, count: length)).map(\.values)[...]
            isComplete = page.count < length
            let bytes = page.reduce(1) { $0 + size(of: $1) }
            length = max(1, min(Self.pageLength, Self.pageBytes * max(1, page.count) / bytes))
            if let row = page.last { last = table.key.map { row[$0] } }
        }
        return page.popFirst()
    }
}

/// The number of bytes of a row's texts and blobs.
private func size(of row: [SQL.Value]) -> Int {
    row.reduce(0) { sum, value in
        switch value {
        case .text(let text): sum + text.utf8.count
        case .blob(let bytes): sum + bytes.count
        case .null, .integer: sum
        }
    }
}

extension TableLayout {
    /// The statement that reads the rows after a key.
    fileprivate func page(after last: [SQL.Value]?, count: Int) -> SQL {
        let names = key.map { columns[$0].name }.joined(separator: ", ")
        let head = "SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(name)"
        let tail = " ORDER BY \(names) LIMIT "
        guard let last else { return SQL(pieces: [head + tail, ""], parameters: [.integer(Int64(count))]) }
        let between = Array(repeating: ", ", count: last.count - 1)
        return SQL(
            pieces: [head + " WHERE (\(names)) > ("] + between + [")" + tail, ""],
            parameters: last + [.integer(Int64(count))])
    }

    /// The statement that inserts rows.
    fileprivate func insertion(of rows: [[SQL.Value]]) -> SQL {
        var pieces = ["INSERT INTO \(name) (\(columns.map(\.name).joined(separator: ", "))) VALUES ("]
        for row in rows.indices {
            pieces += Array(repeating: ", ", count: columns.count - 1)
            pieces.append(row == rows.count - 1 ? ")" : "), (")
        }
        return SQL(pieces: pieces, parameters: rows.flatMap(\.self))
    }

    /// Checks that every database can store the row in this table.
    ///
    /// - Throws: ``TransferError`` `valueUnsupported`
    func check(_ row: [SQL.Value]) throws {
        guard row.count == columns.count else {
            throw TransferError(.valueUnsupported, "a row of the table \(name) has a wrong number of values")
        }
        for (column, value) in zip(columns, row) {
            let isRight =
                switch value {
                case .null: true
                case .integer: column.type == .integer
                case .text(let text): column.type == .text && !text.utf8.contains(0)
                case .blob: column.type == .blob
                }
            guard isRight else {
                throw TransferError(
                    .valueUnsupported,
                    "a value in the column \(column.name) of the table \(name) has another type than the column, or "
                        + "contains the character U+0000")
            }
        }
    }

    /// Inserts the rows of `cursor`.
    ///
    /// - Returns: how many rows were inserted.
    func insert(_ cursor: any RowCursor, into connection: any Connection, _ report: (Int) -> Void) throws -> Int {
        var (batch, bytes, count) = ([[SQL.Value]](), 0, 0)
        func insertBatch() throws {
            if batch.count == TableRows.pageLength {
                try connection.execute(insertion(of: batch))
            } else {
                // The rows of a batch that is not a full page are inserted one at a time, so that each table has only
                // two insert statements.
                for row in batch { try connection.execute(insertion(of: [row])) }
            }
            count += batch.count
            (batch, bytes) = ([], 0)
            report(count)
        }
        while let row = try cursor.next() {
            try check(row)
            batch.append(row)
            bytes += size(of: row)
            if batch.count == TableRows.pageLength || bytes >= TableRows.pageBytes { try insertBatch() }
        }
        try insertBatch()
        return count
    }
}
