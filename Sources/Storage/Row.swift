// SPDX-License-Identifier: Apache-2.0

/// One row of a statement's result, read by column name.
///
/// Names are case-sensitive and unquoted. A column read from a table has the schema's spelling; a computed column has
/// the name after `AS`. Two columns of one result never have the same name. Statements never quote names, so a
/// connection to a database that changes the case of unquoted names must restore the original case.
package struct Row: Sendable {
    /// The column names, in the order of `values`. The same for every row of a result.
    let names: [String]
    let values: [SQL.Value]

    /// - Parameters:
    ///   - names: the column names, spelled as in the schema.
    ///   - values: one value for each name.
    package init(names: [String], values: [SQL.Value]) {
        (self.names, self.values) = (names, values)
    }

    /// Returns the value of the named column. A value of the wrong type is an error; there is no conversion.
    ///
    /// - Throws: ``StorageError`` `unexpectedValue` with the column's name.
    package subscript<Value: ColumnValue>(_ name: String) -> Value {
        get throws {
            guard let index = names.firstIndex(of: name) else {
                throw StorageError(.unexpectedValue, "the result has no column \(name)")
            }
            guard let value = Value(column: values[index]) else {
                throw StorageError(.unexpectedValue, "column \(name) holds no \(Value.self)")
            }
            return value
        }
    }

    /// The columns in the statement's order.
    package var columns: [(name: String, value: SQL.Value)] { Array(zip(names, values)) }

    /// All text and byte values in the row, for searches through a whole database.
    package var cells: [[UInt8]] {
        values.compactMap { value in
            switch value {
            case .text(let text): Array(text.utf8)
            case .blob(let bytes): bytes
            case .null, .integer: nil
            }
        }
    }
}
