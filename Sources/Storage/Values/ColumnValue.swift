// SPDX-License-Identifier: Apache-2.0

/// A type whose values can be stored in a column. Every statement represents them in the same way.
///
/// Identifiers, codes and points in time conform through their raw value:
///
///     enum State: String, ColumnValue { case issued, ended }
package protocol ColumnValue: Sendable {
    /// Creates a value from the value in a column; returns nil if the column holds a different type.
    init?(column: SQL.Value)
    var column: SQL.Value { get }
}

extension String: ColumnValue {
    package init?(column: SQL.Value) {
        guard case .text(let value) = column else { return nil }
        self = value
    }

    package var column: SQL.Value { .text(self) }
}

extension Int64: ColumnValue {
    package init?(column: SQL.Value) {
        guard case .integer(let value) = column else { return nil }
        self = value
    }

    package var column: SQL.Value { .integer(self) }
}

extension Int: ColumnValue {
    package init?(column: SQL.Value) {
        guard case .integer(let value) = column else { return nil }
        self.init(exactly: value)
    }

    package var column: SQL.Value { .integer(Int64(self)) }
}

/// Stored as 0 or 1. A column with any other number cannot be read.
extension Bool: ColumnValue {
    package init?(column: SQL.Value) {
        switch column {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }

    package var column: SQL.Value { .integer(self ? 1 : 0) }
}

extension [UInt8]: ColumnValue {
    package init?(column: SQL.Value) {
        guard case .blob(let value) = column else { return nil }
        self = value
    }

    package var column: SQL.Value { .blob(self) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    package init?(column: SQL.Value) {
        guard column != .null else {
            self = .none
            return
        }
        guard let value = Wrapped(column: column) else { return nil }
        self = .some(value)
    }

    package var column: SQL.Value { self?.column ?? .null }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
    package init?(column: SQL.Value) {
        guard let raw = RawValue(column: column) else { return nil }
        self.init(rawValue: raw)
    }

    package var column: SQL.Value { rawValue.column }
}
