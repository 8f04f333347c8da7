// SPDX-License-Identifier: Apache-2.0
package import Storage

/// A database on a PostgreSQL server, for any number of nodes.
///
/// Every transaction is SERIALIZABLE: the result is as if all transactions ran one after the other. A transaction that
/// conflicts with another one, or whose connection is lost before its commit, is repeated.
package struct PostgreSQLDatabase: PooledDatabase {
    private let pool: ConnectionPool
    private let connections: Int
    private let repetitions = Repetitions()
    private let retries: Int
    private let random: @Sendable () -> Double
    private let observers = Observers()
    private let listener: AnnouncementListener

    /// Connects to the server and applies the missing `migrations`. If several nodes start at once, one of them applies
    /// the migrations and the others wait.
    ///
    /// - Parameter random: returns random numbers from 0 to 1, for pauses between attempts.
    /// - Throws: ``StorageError``, `CancellationError`
    package init(
        _ configuration: PostgreSQLConfiguration, migrations: [Migration],
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) async throws {
        do {
            if let name = EnvironmentVariables.foreign { throw EnvironmentVariables.refusal(of: name) }
            let (address, channel) = (try ServerAddress(configuration), NotificationChannel(of: configuration.schema))
            pool = ConnectionPool(address, limits: configuration.limits, channel: channel)
            (retries, self.random) = (configuration.limits.retries, random)
            listener = try AnnouncementListener(
                address, limits: configuration.limits, channel: channel, observers: observers, random: random)
            connections = configuration.limits.connections
            let setup = try PooledConnection(
                try ServerAddress(configuration, isForMigration: true), limits: configuration.limits, channel: channel)
            try await setup.setUp(schema: configuration.schema, migrations: migrations)
        } catch let failure as Failure {
            throw failure.thrown
        }
    }

    package var isShared: Bool { true }

    package var load: PoolLoad {
        let (inUse, waiting) = pool.load
        let (conflicts, losses) = repetitions.counts
        return PoolLoad(
            limit: connections, inUse: inUse, waiting: waiting, conflicts: conflicts, losses: losses)
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await transaction(.read, body)
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await transaction(.write, body)
    }

    package func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) {
        observers.add(observer)
        listener.begin()
    }

    private func transaction<T: Sendable>(
        _ access: PooledConnection.Access, _ body: @escaping @Sendable (any Connection) throws -> T
    ) async throws -> T {
        var budget = RetryBudget(conflicts: retries)
        while true {
            do {
                try Task.checkCancellation()
                let committed = try await pool.withConnection { try await $0.transaction(access, body) }
                deliver(committed.announcements)
                if let doubt = committed.doubt { throw doubt }
                return committed.value
            } catch let failure as Failure {
                guard let pause = budget.pause(after: failure.kind, random: random()) else { throw failure.thrown }
                repetitions.count(after: failure.kind)
                if pause > .zero { try await Task.sleep(for: pause) }
            }
        }
    }

    /// Delivers announcements to this object's observers. The observers of other nodes, and of other objects in this
    /// process, are notified by the server (``NotificationChannel``).
    ///
    /// Announcements are also delivered if the outcome of the commit is unknown, because observers then discard what
    /// they have cached. This does no harm if the transaction was not committed, and prevents outdated answers if it
    /// was committed.
    private func deliver(_ announcements: [any Announcement]) {
        for announcement in announcements { observers.tell(announcement) }
    }
}
