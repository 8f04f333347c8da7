// SPDX-License-Identifier: Apache-2.0

/// Why a copy, a backup or a restore was refused or failed. The message names databases, tables and columns, and never
/// contains a value.
package struct TransferError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The target holds data.
        case targetHoldsData = "target-holds-data"
        /// The target has tables that are not Baton's.
        case foreignTables = "foreign-tables"
        /// A later version of the program wrote the database or the backup.
        case newer
        /// The tables are not those of the recorded schema version.
        case schemaDiffers = "schema-differs"
        /// The source does not exist.
        case sourceMissing = "source-missing"
        /// A value cannot be stored in the other database.
        case valueUnsupported = "value-unsupported"
        /// The rows that were read back differ from those that were written.
        case rowsDiffer = "rows-differ"
        /// The file is not a backup of Baton.
        case notABackup = "not-a-backup"
        /// The file is a backup, but was cut off or changed.
        case damaged
        /// A file cannot be read or written.
        case file
        /// The file of the backup exists already.
        case fileExists = "file-exists"
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    package var description: String { "\(code.rawValue): \(message)" }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
