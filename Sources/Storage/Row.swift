// SPDX-License-Identifier: Apache-2.0

/// One row's columns by position; asking for another type than the column holds is an error, not a conversion.
package struct Row: Sendable {
    let columns: [SQL.Value]

    init(columns: [SQL.Value]) { self.columns = columns }

    /// Every text and every run of bytes of the row, for whoever searches a whole database.
    package var cells: [[UInt8]] {
        columns.compactMap { column in
            switch column {
            case .text(let text): Array(text.utf8)
            case .blob(let bytes): bytes
            case .null, .integer: nil
            }
        }
    }

    private func column(_ index: Int) throws -> SQL.Value {
        guard columns.indices.contains(index) else { throw StorageError(.unexpectedValue, "no column \(index)") }
        return columns[index]
    }

    private func mismatch(_ index: Int, _ expected: String) -> StorageError {
        StorageError(.unexpectedValue, "column \(index) is not \(expected)")
    }

    package func text(_ index: Int) throws -> String {
        guard case .text(let value) = try column(index) else { throw mismatch(index, "text") }
        return value
    }

    package func integer(_ index: Int) throws -> Int64 {
        guard case .integer(let value) = try column(index) else { throw mismatch(index, "an integer") }
        return value
    }

    package func bytes(_ index: Int) throws -> [UInt8] {
        switch try column(index) {
        case .blob(let value): value
        default: throw mismatch(index, "bytes")
        }
    }

    package func flag(_ index: Int) throws -> Bool {
        switch try integer(index) {
        case 0: false
        case 1: true
        default: throw mismatch(index, "a flag")
        }
    }

    package func isNull(_ index: Int) throws -> Bool { try column(index) == .null }
    package func optionalText(_ index: Int) throws -> String? { try isNull(index) ? nil : text(index) }
    package func optionalInteger(_ index: Int) throws -> Int64? { try isNull(index) ? nil : integer(index) }
    package func optionalBytes(_ index: Int) throws -> [UInt8]? { try isNull(index) ? nil : bytes(index) }

    /// The identifier or code whose raw text the column holds.
    package func value<T: RawRepresentable>(_ index: Int, as type: T.Type = T.self) throws -> T
    where T.RawValue == String {
        guard let value = T(rawValue: try text(index)) else { throw mismatch(index, "a known value") }
        return value
    }

    /// The point in time or counter whose raw number the column holds.
    package func value<T: RawRepresentable>(_ index: Int, as type: T.Type = T.self) throws -> T
    where T.RawValue == Int64 {
        guard let value = T(rawValue: try integer(index)) else { throw mismatch(index, "a known value") }
        return value
    }

    package func optionalValue<T: RawRepresentable>(_ index: Int, as type: T.Type = T.self) throws -> T?
    where T.RawValue == String {
        try isNull(index) ? nil : value(index)
    }

    package func optionalValue<T: RawRepresentable>(_ index: Int, as type: T.Type = T.self) throws -> T?
    where T.RawValue == Int64 {
        try isNull(index) ? nil : value(index)
    }
}
