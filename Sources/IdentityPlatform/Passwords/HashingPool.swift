// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// A few threads for work that keeps a core busy for long, with a queue that has an end: logins beyond it are refused
/// at once instead of piling up memory.
package final class HashingPool: Sendable {
    /// The queue is full; the caller should try again later.
    package struct Busy: Error {}

    private let lanes: [DispatchQueue]
    private let capacity: Int
    private let waiting: Mutex<[Int]>
    private let finished = Mutex(0)

    /// - Parameters:
    ///   - threads: how many hashes are computed at a time.
    ///   - capacity: how many may wait or run on each thread.
    package init(threads: Int, capacity: Int) {
        lanes = (0..<threads).map { DispatchQueue(label: "password.hashing.\($0)") }
        self.capacity = capacity
        waiting = Mutex([Int](repeating: 0, count: threads))
    }

    /// How many pieces of work it has done.
    package var completed: Int { finished.withLock { $0 } }

    /// Runs `work` on one of the pool's threads.
    ///
    /// - Throws: ``Busy``, or what `work` throws.
    package func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        guard let lane = enter() else { throw Busy() }
        return try await withCheckedThrowingContinuation { continuation in
            lanes[lane].async {
                let result = Result { try work() }
                self.waiting.withLock { $0[lane] -= 1 }
                self.finished.withLock { $0 += 1 }
                continuation.resume(with: result)
            }
        }
    }

    private func enter() -> Int? {
        waiting.withLock { waiting in
            guard let lane = waiting.indices.min(by: { waiting[$0] < waiting[$1] }), waiting[lane] < capacity else {
                return nil
            }
            waiting[lane] += 1
            return lane
        }
    }
}
