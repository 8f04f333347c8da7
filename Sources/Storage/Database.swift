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
}

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
