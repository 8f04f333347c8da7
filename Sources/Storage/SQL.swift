// SPDX-License-Identifier: Apache-2.0

/// A statement whose values are kept apart from its text: an interpolated value becomes a bound parameter, never text.
///
///     try connection.rows("SELECT displayName FROM tenant WHERE id = \(tenant)")
///
/// Statements use the portable subset: TEXT, BIGINT and BLOB, times as milliseconds since 1970, `ON CONFLICT`,
/// `RETURNING`, no vendor functions, and no table or column with a name that PostgreSQL reserves. If a database has a
/// different name for BLOB, its connection substitutes that name in schema statements.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text before, between and after the parameters. There is always one more piece than there are parameters.
    package let pieces: [String]
    package let parameters: [Value]

    package init(stringLiteral value: String) {
        pieces = [value]
        parameters = []
    }

    package init(stringInterpolation interpolation: Interpolation) {
        pieces = interpolation.pieces + [interpolation.current]
        parameters = interpolation.parameters
    }

    /// - Parameters:
    ///   - pieces: one more than there are parameters.
    init(pieces: [String], parameters: [Value]) { (self.pieces, self.parameters) = (pieces, parameters) }

    /// Returns the values as a list in parentheses, for `IN`. An empty list contains no value.
    package static func list(_ values: [some ColumnValue]) -> SQL {
        guard let first = values.first else { return "(NULL)" }
        let rest: SQL = values.dropFirst().reduce("\(first)") { "\($0), \($1)" }
        return "(\(rest))"
    }

    /// Returns the statement's text with `placeholder` for each parameter, numbered from 1.
    func text(placeholder: (Int) -> String) -> String {
        guard parameters.count > 0 else { return pieces[0] }
        var text = pieces[0]
        for index in parameters.indices {
            text += placeholder(index + 1)
            text += pieces[index + 1]
        }
        return text
    }

    /// A value as it is passed to the database.
    package enum Value: Sendable, Hashable {
        case null
        case integer(Int64)
        case text(String)
        case blob([UInt8])
    }

    /// Collects the pieces and parameters of one interpolated statement.
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

        /// Inserts another statement's text and parameters, such as a condition made elsewhere.
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
