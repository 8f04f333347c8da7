// SPDX-License-Identifier: Apache-2.0
internal import Processes
internal import Storage
internal import Synchronization

/// A bounded number of connections. A caller that finds no free connection waits for a limited time. Waiting callers
/// are served in the order in which they came.
final class ConnectionPool: Sendable {
    private struct State {
        var made = 0
        /// The free connections. The connection that was used last is taken first, because data of its thread and its
        /// server process is most likely still in the processor's caches.
        var free: [PooledConnection] = []
        var waiting: [UInt64: CheckedContinuation<PooledConnection, any Error>] = [:]
        /// The numbers of the callers that wait, and of some callers that no longer wait.
        var order = Queue<UInt64>()
        var numbers: UInt64 = 0
    }

    private let state = Mutex(State())
    private let address: ConnectionParameters
    private let limits: PostgreSQLConfiguration.Limits
    private let channel: NotificationChannel

    init(_ address: ConnectionParameters, limits: PostgreSQLConfiguration.Limits, channel: NotificationChannel) {
        (self.address, self.limits, self.channel) = (address, limits, channel)
    }

    /// Passes a connection to `body`. Nobody else uses the connection while `body` runs.
    ///
    /// - Throws: ``Failure`` if no connection becomes free in time, `CancellationError`, or the error of `body`.
    func withConnection<T: Sendable>(_ body: (PooledConnection) async throws -> T) async throws -> T {
        let connection = try await take()
        defer { put(connection) }
        return try await body(connection)
    }

    /// The number of connections in use, and the number of waiting callers.
    var load: (inUse: Int, waiting: Int) { state.withLock { ($0.made - $0.free.count, $0.waiting.count) } }

    private func take() async throws -> PooledConnection {
        if let free = try freeOrNew() { return free }
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        let deadline = ContinuousClock.now + limits.pool
        // This task is cancelled when the function returns.
        async let _: Void = giveUp(number, at: deadline)
        return try await wait(number, until: deadline)
    }

    /// Returns a free connection, or a new connection if the pool may open one; otherwise nil.
    private func freeOrNew() throws(Failure) -> PooledConnection? {
        try state.withLock { (state) throws(Failure) in
            if let free = state.free.popLast() { return free }
            guard state.made < limits.connections else { return nil }
            let new = try PooledConnection(address, limits: limits, channel: channel)
            state.made += 1
            return new
        }
    }

    private func wait(_ number: UInt64, until deadline: ContinuousClock.Instant) async throws -> PooledConnection {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let taken: Result<PooledConnection, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let free = state.free.popLast() { return .success(free) }
                    guard ContinuousClock.now < deadline else { return .failure(exhausted) }
                    state.waiting[number] = continuation
                    state.order.append(number)
                    return nil
                }
                if let taken { continuation.resume(with: taken) }
            }
        } onCancel: {
            resume(number, throwing: CancellationError())
        }
    }

    private func giveUp(_ number: UInt64, at deadline: ContinuousClock.Instant) async {
        do { try await Task.sleep(until: deadline, clock: .continuous) } catch { return }
        resume(number, throwing: exhausted)
    }

    private var exhausted: Failure {
        Failure(.unavailable, as: .busy, "all \(limits.connections) connections to PostgreSQL are in use")
    }

    private func resume(_ number: UInt64, throwing error: any Error) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: error)
    }

    /// Returns a connection to the pool.
    private func put(_ connection: PooledConnection) {
        let next = state.withLock { state -> CheckedContinuation<PooledConnection, any Error>? in
            while let number = state.order.popFirst() {
                if let next = state.waiting.removeValue(forKey: number) { return next }
            }
            state.free.append(connection)
            return nil
        }
        next?.resume(returning: connection)
    }
}
