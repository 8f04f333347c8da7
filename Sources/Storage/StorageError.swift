// SPDX-License-Identifier: Apache-2.0

/// An error from the database. The message names statements, tables and columns, and never contains a bound value.
package struct StorageError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, CaseIterable, Sendable {
        /// A unique key is already taken.
        case conflict
        /// A foreign key, NOT NULL or CHECK rule of the schema is violated.
        case constraint
        /// A column's type or the number of rows is not what the code expects.
        case unexpectedValue
        /// A later version of the program wrote the database.
        case newer
        /// An applied migration has since been changed or removed.
        case migrationChanged
        /// All connections are in use, a lock is held for too long, or conflicts with other writers do not end. Nothing
        /// was written, and a later attempt may succeed.
        case busy
        /// The database server cannot be reached or refuses the connection. Nothing was written.
        case unavailable
        /// The connection to the database server was lost during a commit. The transaction may be durable or rolled
        /// back; only a read can tell.
        case unknownOutcome
        /// The disk of the database is full. Nothing was written; reads still work.
        case full
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

    /// Whether the error is temporary, so that the same request may succeed later. Every listener answers the failed
    /// request with 503 and ``retryPause``.
    package var isTemporary: Bool {
        switch code {
        case .busy, .unavailable, .unknownOutcome, .full: true
        case .conflict, .constraint, .unexpectedValue, .newer, .migrationChanged, .failed: false
        }
    }

    /// How long a client should wait before it repeats a request that failed with a temporary error.
    package static let retryPause = Duration.seconds(5)

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
