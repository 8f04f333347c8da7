// SPDX-License-Identifier: Apache-2.0

/// Why the database refused; the message names statements, tables and columns, never a bound value.
package struct StorageError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// A unique key is taken already.
        case conflict
        /// A foreign key, NOT NULL or CHECK rule of the schema forbids it.
        case constraint
        /// A column or a number of rows is not what the code expects.
        case unexpectedValue
        /// The database was written by a later version of the program.
        case newer
        /// A migration that was applied has been changed or taken out since.
        case migrationChanged
        /// The file cannot be opened, or the database failed in another way.
        case failed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "storage.\(code.rawValue): \(message)" }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
