// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// A place in the pool: a thread, and its connection to the server if one is open.
///
/// Transactions run on the thread, in the task that requested them. The first transaction opens the connection. If the
/// connection is lost, the next transaction opens it again.
actor PooledConnection {
    private let executor: ThreadExecutor
    private let wakeUp: WakeUp
    private let address: ConnectionParameters
    private let limits: PostgreSQLConfiguration.Limits
    private let channel: NotificationChannel
    private var server: ServerConnection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// - Throws: ``Failure`` if the process has no thread or descriptor left.
    init(
        _ address: ConnectionParameters, limits: PostgreSQLConfiguration.Limits, channel: NotificationChannel
    ) throws(Failure) {
        (executor, wakeUp) = (try ThreadExecutor(), try WakeUp())
        (self.address, self.limits, self.channel) = (address, limits, channel)
    }

    /// What a transaction may do.
    enum Access {
        case read, write
        /// Reads one state for any length of time. It never conflicts with other transactions. The state may contain a
        /// transaction but lack an earlier one; a `read` transaction never sees such a state.
        case snapshot

        var begin: String {
            switch self {
            case .read: "BEGIN READ ONLY"
            case .write: "BEGIN"
            case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            }
        }
    }

    /// Runs `body` in one transaction and returns the value of `body` with the announcements that the transaction made.
    ///
    /// - Throws: ``Failure``, or the error of `body`.
    func transaction<T: Sendable>(
        _ access: Access, _ body: @Sendable (any Connection) throws -> T
    ) async throws -> Committed<T> {
        try await withTaskCancellationHandler {
            try run(access, on: begin(access), limit: limits.statement, body)
        } onCancel: {
            wakeUp.signal()
        }
    }

    /// Checks that the server has the required settings.
    ///
    /// - Throws: ``Failure``, ``StorageError``
    func checkServer(schema: String) async throws {
        try await withTaskCancellationHandler {
            try SchemaSetup(server: try connected(), schema: schema, limit: limits.statement).checkServer()
        } onCancel: {
            wakeUp.signal()
        }
    }

    /// Takes a lock and keeps it as long as the connection is open.
    ///
    /// - Returns: false if another connection holds the lock.
    /// - Throws: ``Failure``
    func take(_ lock: AdvisoryLock) async throws -> Bool {
        try await withTaskCancellationHandler {
            let server = try connected()
            let rows = try server.rows("SELECT pg_try_advisory_lock(\(lock.key)) AS taken", limit: limits.statement)
            return try rows.first?["taken"] ?? false
        } onCancel: {
            wakeUp.signal()
        }
    }

    /// Releases a lock and closes the connection. If the connection is lost, the server has already released the lock.
    func release(_ lock: AdvisoryLock) {
        do throws(Failure) {
            _ = try server?.rows("SELECT pg_advisory_unlock_all()", limit: limits.statement)
        } catch {}
        server = nil
    }

    /// Creates the schema and applies the missing migrations.
    ///
    /// - Throws: ``Failure``, ``StorageError``
    func setUp(schema: String, migrations: [Migration]) async throws {
        try await withTaskCancellationHandler {
            defer { server = nil }
            let server = try connected()
            let setup = SchemaSetup(server: server, schema: schema, limit: limits.migration)
            try setup.checkServer()
            try setup.lock()
            if try !setup.hasSchema() { try setup.createSchema() }
            try server.command("BEGIN", limit: limits.migration)
            let outcome = try run(.write, on: server, limit: limits.migration) { try $0.apply(migrations) }
            if let doubt = outcome.doubt { throw doubt }
        } onCancel: {
            wakeUp.signal()
        }
    }

    /// Runs `body` in the transaction that has begun.
    private func run<T>(
        _ access: Access, on server: ServerConnection, limit: Duration, _ body: (any Connection) throws -> T
    ) throws -> Committed<T> {
        defer { if server.isLost || server.isSpent || !server.isIdle { self.server = nil } }
        let transaction = Transaction(server, access, on: channel, limit: limit)
        let value: T
        do {
            value = try transaction.run(body)
        } catch {
            guard let failure = error as? Failure else {
                rollBack(server)
                throw error
            }
            if !failure.kind.endsConnection { rollBack(server) }
            throw close(after: failure)
        }
        do throws(Failure) { try transaction.commit() } catch {
            let failure = close(after: error)
            guard failure.kind == .unknownOutcome else { throw failure }
            return Committed(value: value, announcements: transaction.announcements, doubt: failure)
        }
        return Committed(value: value, announcements: transaction.announcements, doubt: nil)
    }

    /// Begins a transaction on the open connection, or on a new connection if the open one was lost while nobody used
    /// it.
    private func begin(_ access: Access) throws(Failure) -> ServerConnection {
        if let server {
            do throws(Failure) {
                try server.command(access.begin, limit: limits.statement)
                return server
            } catch {
                self.server = nil
                guard error.kind == .lost else { throw error }
            }
        }
        let server = try connected()
        do throws(Failure) { try server.command(access.begin, limit: limits.statement) } catch {
            throw close(after: error)
        }
        return server
    }

    private func rollBack(_ server: ServerConnection) {
        // If the rollback fails, the transaction is still open. In that case, the connection is closed, which also
        // rolls the transaction back.
        do throws(Failure) { try server.command("ROLLBACK", limit: limits.statement, isCancellable: false) } catch {}
    }

    private func close(after failure: Failure) -> Failure {
        if failure.kind.endsConnection { server = nil }
        return failure
    }

    private func connected() throws(Failure) -> ServerConnection {
        if let server { return server }
        let server = try ServerConnection(to: address, limit: limits.connect, wakeUp: wakeUp)
        self.server = server
        return server
    }
}

/// A transaction's value and announcements.
struct Committed<Value> {
    let value: Value
    let announcements: [any Announcement]
    /// Why it is unknown whether the transaction was committed; nil if it was committed.
    let doubt: Failure?
}

extension Committed: Sendable where Value: Sendable {}
