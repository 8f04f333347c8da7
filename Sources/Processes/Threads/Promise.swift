// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// A value or error that becomes available later. Threads and tasks can wait for it. Only the first outcome takes
/// effect.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([@Sendable (Result<Value, any Error>) -> Void])
        case settled(Result<Value, any Error>)
    }

    private let state = Mutex<State>(.waiting([]))

    package init() {}

    /// Settles the promise; later calls do nothing.
    package func settle(_ outcome: Result<Value, any Error>) {
        let waiters: [@Sendable (Result<Value, any Error>) -> Void] = state.withLock { state in
            guard case .waiting(let waiters) = state else { return [] }
            state = .settled(outcome)
            return waiters
        }
        for waiter in waiters { waiter(outcome) }
    }

    /// Calls `waiter` once with the outcome, immediately if it is already known.
    package func whenSettled(_ waiter: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        let known: Result<Value, any Error>? = state.withLock { state in
            switch state {
            case .settled(let outcome): return outcome
            case .waiting(let waiters):
                state = .waiting(waiters + [waiter])
                return nil
            }
        }
        if let known { waiter(known) }
    }

    /// Suspends the task until there is an outcome.
    ///
    /// - Throws: the promise's error.
    package func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            whenSettled { continuation.resume(with: $0) }
        }
    }

    /// Blocks the thread until there is an outcome. Must not be called on the cooperative pool.
    ///
    /// - Throws: the promise's error.
    package func wait() throws -> Value {
        let settled = DispatchSemaphore(value: 0)
        whenSettled { _ in settled.signal() }
        settled.wait()
        guard case .settled(let outcome) = state.withLock({ $0 }) else { throw CancellationError() }
        return try outcome.get()
    }
}
