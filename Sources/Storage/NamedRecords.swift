// SPDX-License-Identifier: Apache-2.0

/// The records that a name can mean.
package struct NamedRecords<Item: Record>: Sendable {
    /// The records, sorted; not more than the limit of the search.
    package let records: [Item]
    /// The number of all records that the name can mean.
    package let count: Int

    /// Returns the only record that the name can mean; nil if there is none.
    ///
    /// - Parameter refusal: makes the error that is thrown if the name can mean several records.
    package func only(orThrow refusal: (NamedRecords) -> any Error) throws -> Item? {
        guard count <= 1 else { throw refusal(self) }
        return records.first
    }
}

extension Connection {
    /// Returns the records that a name can mean. They come from the first step that selects at least one record.
    ///
    /// One statement finds the records. A second statement counts them if there are more than `limit`.
    ///
    /// - Parameters:
    ///   - key: the column that identifies a record and by which the records are sorted.
    ///   - steps: the conditions of each step. A step selects the records that meet at least one of its conditions.
    ///     Each condition needs an index.
    /// - Throws: ``StorageError``
    package func named<Item: Record>(
        _ type: Item.Type, by key: Item.Column, limit: Int, in steps: [[SQL]]
    ) throws -> NamedRecords<Item> {
        let parts = steps.enumerated().flatMap { index, conditions in
            conditions.map { condition -> SQL in
                """
                SELECT DISTINCT \(text: String(index)) AS step, \(text: Item.columnList) FROM \(text: Item.table)
                WHERE \(condition)
                """
            }
        }
        guard !parts.isEmpty else { return NamedRecords(records: [], count: 0) }
        // UNION returns a record once, even if it meets several conditions of a step.
        let rows = try rows("\(union: parts) ORDER BY step, \(column: key) LIMIT \(limit + 1)")
        guard let first: Int = try rows.first?["step"] else { return NamedRecords(records: [], count: 0) }
        let selected = try rows.filter { try $0["step"] == first }
        let records = try selected.prefix(limit).map { try Item(TableRow(row: $0)) }
        guard selected.count > limit else { return NamedRecords(records: records, count: selected.count) }
        let keys = steps[first].map { condition -> SQL in
            "SELECT DISTINCT \(column: key) FROM \(text: Item.table) WHERE \(condition)"
        }
        let count: Int? = try row("SELECT COUNT(*) AS count FROM (\(union: keys)) AS selected")?["count"]
        return NamedRecords(records: records, count: count ?? selected.count)
    }
}

extension SQL.Interpolation {
    /// Inserts statements, joined by UNION.
    fileprivate mutating func appendInterpolation(union parts: [SQL]) {
        for (index, part) in parts.enumerated() {
            if index > 0 { appendLiteral(" UNION ") }
            appendInterpolation(part)
        }
    }
}
