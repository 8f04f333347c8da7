// SPDX-License-Identifier: Apache-2.0
package import Storage

/// A database on a PostgreSQL server, for any number of nodes.
///
/// Every transaction is SERIALIZABLE: the result is as if all transactions ran one after the other. A transaction that
/// conflicts with another one, or whose connection is lost before its commit, is repeated.
package struct PostgreSQLDatabase: PooledDatabase {
    private let configuration: PostgreSQLConfiguration
    private let address: ConnectionParameters
    private let channel: NotificationChannel
    private let pool: ConnectionPool
    private let repetitions = Repetitions()
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
            self.configuration = configuration
            (address, channel) = (
                try ConnectionParameters(configuration), NotificationChannel(of: configuration.schema)
            )
            pool = ConnectionPool(address, limits: configuration.limits, channel: channel)
            self.random = random
            listener = try AnnouncementListener(
                address, limits: configuration.limits, channel: channel, observers: observers, random: random)
            let setup = try PooledConnection(
                try ConnectionParameters(configuration, isForMigration: true), limits: configuration.limits,
                channel: channel)
            try await setup.setUp(schema: configuration.schema, migrations: migrations)
        } catch let failure as Failure {
            throw failure.thrown
        }
    }

    /// Connects to the server without creating the schema and without applying migrations, to read or to write the
    /// whole content.
    ///
    /// - Throws: ``StorageError``, `CancellationError`
    init(unprepared configuration: PostgreSQLConfiguration) async throws {
        do {
            if let name = EnvironmentVariables.foreign { throw EnvironmentVariables.refusal(of: name) }
            self.configuration = configuration
            (address, channel) = (
                try ConnectionParameters(configuration), NotificationChannel(of: configuration.schema)
            )
            pool = ConnectionPool(address, limits: configuration.limits, channel: channel)
            random = { .random(in: 0...1) }
            // The listener connects only when somebody observes the database.
            listener = try AnnouncementListener(
                address, limits: configuration.limits, channel: channel, observers: observers, random: random)
            try await pool.withConnection { try await $0.checkServer(schema: configuration.schema) }
        } catch let failure as Failure {
            throw failure.thrown
        }
    }

    package var isShared: Bool { true }

    package var load: PoolLoad {
        let (inUse, waiting) = pool.load
        let (conflicts, losses) = repetitions.counts
        return PoolLoad(
            limit: configuration.limits.connections, inUse: inUse, waiting: waiting, conflicts: conflicts,
            losses: losses)
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await transaction(.read, body)
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await transaction(.write, body)
    }

    /// Reads one consistent state once. Unlike ``read(_:)``, this is for reading everything: it never conflicts with
    /// other transactions, and it is not repeated if the connection is lost.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, or the error of `body`.
    func snapshot<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        do {
            return try await pool.withConnection { try await $0.transaction(.snapshot, body).value }
        } catch let failure as Failure {
            throw failure.thrown
        }
    }

    package func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) {
        observers.add(observer)
        listener.begin()
    }

    /// Runs a job while a separate connection, outside the pool, holds an advisory lock. The server releases the lock
    /// when that connection ends, even if the process was killed.
    package func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
        let lock = AdvisoryLock(job: job, schema: configuration.schema)
        let holder: PooledConnection
        do {
            holder = try PooledConnection(address, limits: configuration.limits, channel: channel)
            guard try await holder.take(lock) else { return nil }
        } catch let failure as Failure {
            throw failure.thrown
        }
        let outcome: Result<T, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        await holder.release(lock)
        return try outcome.get()
    }

    package func serverTime() async throws -> Timestamp? {
        try await read { connection in
            let row = try connection.row(
                "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS time")
            return try row.map { Timestamp(rawValue: try $0["time"]) }
        }
    }

    private func transaction<T: Sendable>(
        _ access: PooledConnection.Access, _ body: @escaping @Sendable (any Connection) throws -> T
    ) async throws -> T {
        var budget = RetryBudget(conflicts: configuration.limits.retries)
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
