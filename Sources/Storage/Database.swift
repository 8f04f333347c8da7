// SPDX-License-Identifier: Apache-2.0

/// A database that engines read and write through closures. A connection must not escape its closure.
///
/// Bodies are synchronous and run in one transaction, off the cooperative pool. A body may run twice, so it must have
/// no other effects. A write is durable when the call returns.
package protocol Database: Sendable {
    /// Reads one consistent state.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, or the error of `body`.
    func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T

    /// Writes in one transaction, which is rolled back if `body` throws.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, or the error of `body`.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T

    /// Calls `observer` with every announcement that writes make, for as long as the database object exists.
    ///
    /// Each announcement is delivered once, after its transaction is durable, even if the writing task was cancelled by
    /// then. The observer is called on the database's own thread, where no other write can begin meanwhile: it must be
    /// quick, must not block, and must not use the database.
    func observe(_ observer: @escaping @Sendable (any Announcement) -> Void)
}

/// A change, made by a transaction, of which code outside the database must be notified.
///
/// It is a value and not a closure, so that a database with several nodes can send it to the other nodes.
package protocol Announcement: Sendable {}

/// One transaction's access to the tables. Valid only inside the closure that received it.
package protocol Connection {
    /// Runs a statement and returns how many rows it changed.
    ///
    /// - Throws: ``StorageError``
    @discardableResult func execute(_ sql: SQL) throws -> Int

    /// Runs a statement and returns its rows.
    ///
    /// - Throws: ``StorageError``
    func rows(_ sql: SQL) throws -> [Row]

    /// Sends an announcement to the database's observers once this transaction is durable. A rolled-back transaction
    /// announces nothing.
    ///
    /// - Throws: ``StorageError`` in a read, which changes nothing.
    func announce(_ announcement: any Announcement) throws
}

extension Connection {
    /// Returns the only row of a statement that yields at most one.
    ///
    /// - Throws: ``StorageError``, also if there is more than one row.
    package func row(_ sql: SQL) throws -> Row? {
        let rows = try rows(sql)
        guard rows.count <= 1 else { throw StorageError(.unexpectedValue, "more than one row where one was expected") }
        return rows.first
    }
}
