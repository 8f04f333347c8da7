// SPDX-License-Identifier: Apache-2.0

/// A database that engines read and write through closures; nothing of it escapes them.
///
/// Bodies are synchronous, run in one transaction off the cooperative pool, and may run twice: they have no other
/// effects. A write is durable when the call returns.
package protocol Database: Sendable {
    /// Reads one consistent state.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, or what `body` throws.
    func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T

    /// Writes in one transaction, rolled back when `body` throws.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, or what `body` throws.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T

    /// Tells `observer`, for as long as the database lives, everything that writes announce: once each, after the
    /// transaction is durable, also where the task that wrote was cancelled then.
    ///
    /// It is called on the database's own thread, where no other write can begin meanwhile: it must be quick, must not
    /// block, and must not use the database.
    func observe(_ observer: @escaping @Sendable (any Announcement) -> Void)
}

/// What a transaction has made so and somebody outside of the database has to hear of.
///
/// A value, not a closure: a database of several nodes can send it to the others.
package protocol Announcement: Sendable {}

/// One transaction's access to the tables; valid only inside the closure that got it.
package protocol Connection {
    /// Runs a statement and tells how many rows it changed.
    ///
    /// - Throws: ``StorageError``
    @discardableResult func execute(_ sql: SQL) throws -> Int

    /// Runs a statement and returns its rows.
    ///
    /// - Throws: ``StorageError``
    func rows(_ sql: SQL) throws -> [Row]

    /// Has the database's observers told once this transaction is durable; nobody hears of one that is rolled back.
    ///
    /// - Throws: ``StorageError`` in a read, which makes nothing so.
    func announce(_ announcement: any Announcement) throws
}

extension Connection {
    /// The only row of a statement that yields one or none.
    ///
    /// - Throws: ``StorageError``, also when there is more than one row.
    package func row(_ sql: SQL) throws -> Row? {
        let rows = try rows(sql)
        guard rows.count <= 1 else { throw StorageError(.unexpectedValue, "more than one row where one was expected") }
        return rows.first
    }
}
