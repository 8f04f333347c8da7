// SPDX-License-Identifier: Apache-2.0

/// One row of a statement's result, read by the names of its columns.
///
/// A name is compared as it is, with regard to case and without quotation marks. A connection names a column that a statement
/// reads from a table as the schema spells it, and one that is computed as the statement does after `AS`; two columns of one
/// result never have the same name. Statements put no name in quotation marks, so a database that changes the case of such
/// names has to change it back.
package struct Row: Sendable {
    /// In the order of `values`; every row of a result has the same.
    let names: [String]
    let values: [SQL.Value]

    /// The value of the column with that name. A value of another type than the column holds is an error, not a conversion.
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

    /// Every text and every run of bytes of the row, for whoever searches a whole database.
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
