// SPDX-License-Identifier: Apache-2.0

/// A database that engines read and write through closures. A connection must not escape its closure.
///
/// The closures are synchronous. Each closure runs in one transaction, in the task that requested the transaction, but
/// on a thread outside Swift's cooperative pool. A closure may run twice, so it must have no effects outside the
/// database. A write is durable when the call returns.
package protocol Database: Sendable {
    /// Whether other processes may write to this database. If so, data that an earlier transaction read may be
    /// outdated, and the announcement of a change may arrive too late.
    var isShared: Bool { get }

    /// Reads one consistent state.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, or the error of `body`.
    func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T

    /// Writes in one transaction, which is rolled back if `body` throws or if one of its statements fails. After a
    /// failed statement, the transaction cannot continue, even if `body` catches the error.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, or the error of `body`.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T

    /// Calls `observer` with each announcement that a write makes, for as long as the database object exists.
    ///
    /// Each announcement is delivered once, after its transaction is durable, even if the writing task has been
    /// cancelled meanwhile. The observer runs on the database's own thread, and the write returns only after the
    /// observer has returned. On SQLite, no other write can begin before the observer has returned; on PostgreSQL,
    /// other writes may have happened meanwhile. The observer must be quick, must not block, and must not use the
    /// database.
    ///
    /// If it is unknown whether a transaction is durable (``StorageError`` `unknownOutcome`), its announcements are
    /// delivered.
    ///
    /// Announcements from other nodes are delivered as ``AnnouncementMessage``, on another thread. Such announcements
    /// may be lost. Whenever some may have been lost, observers get ``AnnouncementMessage/gap`` as soon as
    /// announcements arrive again. Most callers observe only one kind of announcement, with ``observe(_:_:)``.
    func observe(_ observer: @escaping @Sendable (any Announcement) -> Void)

    /// Runs a job that at most one of the processes that share this database may run at a time. If a process ends or
    /// loses its connection while it runs the job, another process may begin the job.
    ///
    /// - Parameter job: the job's name, the same in every process.
    /// - Returns: the value of `body`; nil if another process is running the job.
    /// - Throws: ``StorageError``, `CancellationError`, or the error of `body`.
    func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T?

    /// Returns the time of the database server's clock; nil if the database uses the clock of this machine.
    ///
    /// - Throws: ``StorageError``, `CancellationError`
    func serverTime() async throws -> Timestamp?
}

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
    /// - Throws: ``StorageError`` in a read, because a read changes nothing.
    func announce(_ announcement: any Announcement) throws
}

extension Connection {
    /// Returns the row of a statement that yields at most one row; nil if there is none.
    ///
    /// - Throws: ``StorageError``, including when there is more than one row.
    package func row(_ sql: SQL) throws -> Row? {
        let rows = try rows(sql)
        guard rows.count <= 1 else { throw StorageError(.unexpectedValue, "more than one row where one was expected") }
        return rows.first
    }
}
