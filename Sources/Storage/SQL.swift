// SPDX-License-Identifier: Apache-2.0

/// One statement with its values kept apart: what is interpolated becomes a bound parameter, never text.
///
///     try connection.rows("SELECT displayName FROM tenant WHERE id = \(tenant)")
///
/// The portable subset: TEXT, BIGINT and BLOB (a database that calls bytes otherwise writes its own word for the last in
/// schema statements), times as epoch milliseconds, `ON CONFLICT`, `RETURNING`, no vendor functions, and no table or
/// column named by a word that PostgreSQL reserves.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text between the parameters; always one piece more than there are parameters.
    let pieces: [String]
    let parameters: [Value]

    package init(stringLiteral value: String) {
        pieces = [value]
        parameters = []
    }

    package init(stringInterpolation interpolation: Interpolation) {
        pieces = interpolation.pieces + [interpolation.current]
        parameters = interpolation.parameters
    }

    /// The statement's text with `placeholder` in the place of each parameter, numbered from 1.
    func text(placeholder: (Int) -> String) -> String {
        guard parameters.count > 0 else { return pieces[0] }
        var text = pieces[0]
        for index in parameters.indices {
            text += placeholder(index + 1)
            text += pieces[index + 1]
        }
        return text
    }

    /// A value as it crosses the border to the database.
    package enum Value: Sendable, Hashable {
        case null
        case integer(Int64)
        case text(String)
        case blob([UInt8])
    }

    /// Collects pieces and parameters of one interpolated statement.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var pieces: [String] = []
        fileprivate var current = ""
        fileprivate var parameters: [Value] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            current.reserveCapacity(literalCapacity)
            parameters.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { current += literal }

        private mutating func bind(_ value: Value) {
            pieces.append(current)
            current = ""
            parameters.append(value)
        }

        /// Puts another statement's text and parameters in this place: a condition that was made elsewhere.
        package mutating func appendInterpolation(_ part: SQL) {
            for (piece, parameter) in zip(part.pieces, part.parameters) {
                current += piece
                bind(parameter)
            }
            current += part.pieces.last ?? ""
        }

        /// Binds a value.
        package mutating func appendInterpolation(_ value: some ColumnValue) { bind(value.column) }
        package mutating func appendInterpolation(_ value: (some ColumnValue)?) { bind(value.column) }
    }
}
