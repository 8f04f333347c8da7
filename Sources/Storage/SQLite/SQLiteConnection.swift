// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import GRDB

/// One transaction on SQLite. Statements are prepared once per connection and kept.
final class SQLiteConnection: Connection {
    private let database: GRDB.Database
    /// The recipients of this transaction's announcements; nil in a read.
    private let observers: Observers?
    /// The error of the first statement that failed. SQLite would continue the transaction; PostgreSQL would not.
    private var failure: StorageError?

    init(database: GRDB.Database, observers: Observers?) { (self.database, self.observers) = (database, observers) }

    /// Runs the body of a transaction.
    ///
    /// - Throws: ``StorageError`` if a statement failed, even if `body` caught the error; otherwise the error of
    ///   `body`.
    func run<T>(_ body: (any Connection) throws -> T) throws -> T {
        let value = try body(self)
        if let failure { throw failure }
        return value
    }

    func execute(_ sql: SQL) throws -> Int {
        try mapped {
            try prepared(sql).execute()
            return database.changesCount
        }
    }

    func rows(_ sql: SQL) throws -> [Row] {
        try mapped {
            var rows: [Row] = []
            let statement = try prepared(sql)
            let (names, cursor) = (statement.columnNames, try GRDB.Row.fetchCursor(statement))
            while let row = try cursor.next() {
                rows.append(Row(names: names, values: row.databaseValues.map(SQL.Value.init)))
            }
            return rows
        }
    }

    func announce(_ announcement: any Announcement) throws {
        guard let observers else { throw StorageError(.failed, "a read has nothing to announce") }
        database.afterNextTransaction { _ in observers.tell(announcement) }
    }

    private func prepared(_ sql: SQL) throws -> Statement {
        let statement = try database.cachedStatement(sql: sql.text { _ in "?" })
        guard observers != nil || statement.isReadonly else { throw StorageError(.failed, "a read changes nothing") }
        try statement.setArguments(StatementArguments(sql.parameters.map(\.databaseValue)))
        return statement
    }

    private func mapped<T>(_ body: () throws -> T) throws -> T {
        if let failure { throw failure }
        do { return try body() } catch let error as DatabaseError {
            let error = StorageError(error)
            failure = error
            throw error
        }
    }
}

extension SQL.Value {
    fileprivate init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let number): .integer(number)
            // The portable subset has no floating-point columns. The value is passed on as text, so code that expects
            // an integer refuses it.
            case .double(let number): .text(String(number))
            case .string(let text): .text(text)
            case .blob(let data): .blob([UInt8](data))
            }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }
}

extension StorageError {
    /// Creates an error with SQLite's own message, which names columns and constraints. GRDB's description is not used,
    /// because it contains bound values.
    init(_ error: DatabaseError) {
        let code: Code =
            switch error.extendedResultCode {
            case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY: .conflict
            default:
                switch error.resultCode {
                case .SQLITE_CONSTRAINT: .constraint
                case .SQLITE_FULL: .full
                case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
                default: .failed
                }
            }
        self.init(code, error.message ?? "code \(error.extendedResultCode.rawValue)")
    }
}
