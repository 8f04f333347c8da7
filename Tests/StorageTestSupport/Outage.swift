// SPDX-License-Identifier: Apache-2.0
package import Storage
private import Synchronization

/// An outage of a database, which a test begins and ends. During the outage, every transaction fails.
package final class Outage: Sendable {
    private let failure = Mutex<StorageError?>(nil)

    package init() {}

    /// Makes all transactions fail with this error from now on.
    package func begin(_ code: StorageError.Code) { failure.withLock { $0 = StorageError(code, "an outage") } }

    package func end() { failure.withLock { $0 = nil } }

    /// Returns a layer over a database. The layer fails during the outage.
    package func wrap(_ database: any Database) -> any Database { FailingDatabase(database: database, outage: self) }

    fileprivate func check() throws { if let failure = failure.withLock({ $0 }) { throw failure } }
}

private struct FailingDatabase: DatabaseLayer {
    let database: any Database
    let outage: Outage

    func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try outage.check()
        return try await database.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try outage.check()
        return try await database.write(body)
    }

    func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
        try outage.check()
        return try await database.exclusively(job, body)
    }

    func serverTime() async throws -> Timestamp? {
        try outage.check()
        return try await database.serverTime()
    }
}
