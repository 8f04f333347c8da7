// SPDX-License-Identifier: Apache-2.0
internal import CoreMetrics
internal import Dispatch
internal import Synchronization

/// A few threads for CPU-intensive work, with a bounded queue. If the queue is full, further work is refused at once.
/// One requester gets at most a quarter of the places in the queue.
package final class HashingPool: Sendable {
    /// The queue, or the requester's share of it, is full. The caller should try again later.
    package struct Busy: Error {}

    /// The metrics of a pool.
    struct Metrics: Sendable {
        let wait: CoreMetrics.Timer
        let refused: Counter
    }

    private struct State {
        /// The number of waiting and running tasks of each thread.
        var waiting: [Int]
        var places: [String: Int] = [:]
        var done = 0
    }

    private let lanes: [DispatchQueue]
    private let capacity: Int
    private let share: Int
    private let state: Mutex<State>
    private let metrics: Metrics?

    /// - Parameters:
    ///   - threads: how many tasks run at the same time.
    ///   - capacity: how many tasks may wait or run on each thread.
    package convenience init(threads: Int, capacity: Int) {
        self.init(threads: threads, capacity: capacity, metrics: nil)
    }

    init(threads: Int, capacity: Int, metrics: Metrics?) {
        self.metrics = metrics
        lanes = (0..<threads).map { DispatchQueue(label: "password.hashing.\($0)") }
        self.capacity = capacity
        share = max(1, threads * capacity / 4)
        state = Mutex(State(waiting: [Int](repeating: 0, count: threads)))
    }

    /// The amount of work done so far: the sum of the `rounds` that callers passed.
    package var done: Int { state.withLock { $0.done } }

    /// The number of waiting and running tasks.
    package var waiting: Int { state.withLock { $0.waiting.reduce(0, +) } }

    /// Runs `work` on one of the pool's threads. If the caller is cancelled before `work` starts, `work` does not run.
    ///
    /// - Parameters:
    ///   - rounds: the cost of the work, for ``done``.
    ///   - asker: the requester, which gets at most a quarter of the places; nil for no limit.
    /// - Throws: ``Busy``, `CancellationError`, or what `work` throws.
    package func run<T: Sendable>(
        rounds: Int = 1, for asker: String? = nil, _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        guard let lane = enter(asker) else {
            metrics?.refused.increment()
            throw Busy()
        }
        let entered = ContinuousClock.now
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lanes[lane].async { [metrics] in
                    metrics?.wait.record(since: entered)
                    let isWanted = !isCancelled.load(ordering: .relaxed)
                    let result = Result { () throws -> T in
                        guard isWanted else { throw CancellationError() }
                        return try work()
                    }
                    self.leave(lane, asker, rounds: isWanted ? rounds : 0)
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func enter(_ asker: String?) -> Int? {
        state.withLock { state in
            let waiting = state.waiting
            guard let lane = waiting.indices.min(by: { waiting[$0] < waiting[$1] }), waiting[lane] < capacity else {
                return nil
            }
            if let asker {
                guard state.places[asker, default: 0] < share else { return nil }
                state.places[asker, default: 0] += 1
            }
            state.waiting[lane] += 1
            return lane
        }
    }

    private func leave(_ lane: Int, _ asker: String?, rounds: Int) {
        state.withLock { state in
            state.waiting[lane] -= 1
            state.done += rounds
            guard let asker, let places = state.places[asker] else { return }
            state.places[asker] = places > 1 ? places - 1 : nil
        }
    }
}

extension CoreMetrics.Timer {
    fileprivate func record(since start: ContinuousClock.Instant) {
        let (seconds, attoseconds) = start.duration(to: .now).components
        recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
