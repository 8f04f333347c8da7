// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// A few threads for work that keeps a core busy for long, with a queue that has an end: what is beyond it is refused at
/// once instead of piling up memory. No single asker gets more than a quarter of the places.
package final class HashingPool: Sendable {
    /// The queue is full, or the asker's part of it is; the caller should try again later.
    package struct Busy: Error {}

    private struct State {
        /// By lane.
        var waiting: [Int]
        var places: [String: Int] = [:]
        var done = 0
    }

    private let lanes: [DispatchQueue]
    private let capacity: Int
    private let share: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - threads: how many hashes are computed at a time.
    ///   - capacity: how many may wait or run on each thread.
    package init(threads: Int, capacity: Int) {
        lanes = (0..<threads).map { DispatchQueue(label: "password.hashing.\($0)") }
        self.capacity = capacity
        share = max(1, threads * capacity / 4)
        state = Mutex(State(waiting: [Int](repeating: 0, count: threads)))
    }

    /// How much work it has done, in the rounds that its callers named.
    package var done: Int { state.withLock { $0.done } }

    /// How many pieces of work wait or run.
    package var waiting: Int { state.withLock { $0.waiting.reduce(0, +) } }

    /// Runs `work` on one of the pool's threads; not at all where the caller has been cancelled by its turn.
    ///
    /// - Parameters:
    ///   - rounds: what the work costs, for ``done``.
    ///   - asker: who may have a quarter of the places at most; nil counts for nobody.
    /// - Throws: ``Busy``, `CancellationError`, or what `work` throws.
    package func run<T: Sendable>(
        rounds: Int = 1, for asker: String? = nil, _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        guard let lane = enter(asker) else { throw Busy() }
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lanes[lane].async {
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
