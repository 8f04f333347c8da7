// SPDX-License-Identifier: Apache-2.0
import Storage

/// The kind of a row that is made in bulk, as a part of its id.
enum RowKind: Int {
    case person = 1, group, device, deviceObject, session, udid, enrollment, command
}

/// The id of row `number` of a kind, as an expression.
///
/// The ids of a table are spread over the range of all ids, as random ids are, but they are in order, so that each row
/// is added at the end of an index. Adding a million users with random ids would take an hour.
///
/// - Parameter size: how many rows the table has in the end.
func bulkID(_ kind: RowKind, size: Int, of number: SQL = "n") -> SQL {
    """
    printf('%08x-%04x-4000-8000-%012x', \(number) * 4294967295 / \(size), \(kind.rawValue), \(number))
    """
}

/// A hash of 32 bytes that belongs to no known text, as an expression over the number `n`. The hashes are in order,
/// too. They cover only half of the range, because SQLite's `char` makes only bytes below 128.
///
/// - Parameter size: how many rows the table has in the end.
func bulkHash(size: Int) -> SQL {
    """
    CAST(char(1 + n * 126 / \(size)) || printf('%08x', n * 4294967295 / \(size)) || hex(randomblob(11)) || '0' AS BLOB)
    """
}

/// Inserts one row for each number of a range.
///
/// - Parameter columns: the names of the columns, and their values as expressions over the number `n`.
func rows(_ range: ClosedRange<Int>, in table: SQL, _ columns: KeyValuePairs<SQL, SQL>, where condition: SQL = "1")
    -> SQL
{
    let names = columns.map(\.key).joined(), values = columns.map(\.value).joined()
    return """
        WITH RECURSIVE counter (n) AS (
            SELECT \(range.lowerBound) UNION ALL SELECT n + 1 FROM counter WHERE n < \(range.upperBound))
        INSERT INTO \(table) (\(names)) SELECT \(values) FROM counter WHERE \(condition)
        """
}

extension [SQL] {
    fileprivate func joined() -> SQL {
        guard let first else { return "" }
        return dropFirst().reduce(first) { "\($0), \($1)" }
    }
}

extension ClosedRange<Int> {
    /// Cuts the range into parts, in order.
    func parts(_ count: Int) -> [ClosedRange<Int>] {
        (0..<count).compactMap { part in
            let first = lowerBound + self.count * part / count
            let last = lowerBound + self.count * (part + 1) / count - 1
            return first <= last ? first...last : nil
        }
    }
}

extension Database {
    /// Runs statements in one transaction, with so much memory that no page is written twice.
    func fill(_ statements: [SQL]) async throws {
        try await write { connection in
            try connection.execute("PRAGMA cache_size = -2000000")
            for statement in statements { try connection.execute(statement) }
        }
        try await write { connection in
            try connection.execute("PRAGMA cache_size = -2000")
            try connection.execute("PRAGMA shrink_memory")
        }
    }
}
