// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The parts of statements that insert a row for each number from 1 to 100,000, such as
/// `INSERT INTO … \(NumberedRows.numbers) SELECT … FROM number`.
package enum NumberedRows {
    package static let count = 100_000

    /// The rows, whose only column is `i`.
    package static let numbers: SQL = """
        WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 100000)
        """
    /// The end of the number's GUID.
    package static let digits: SQL = "substr(CAST(1000000000000 + i AS TEXT), 2)"
}
