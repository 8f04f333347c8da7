// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

extension Database {
    /// Reads one consistent state, and blocks the calling thread until the reading is done.
    ///
    /// Only the body of a transaction on another database may call this method: it runs on a thread outside Swift's
    /// cooperative pool. No transaction on this database may wait for the other one in turn.
    ///
    /// - Throws: ``StorageError``, `CancellationError`, or the error of `body`.
    package func readBlocking<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) throws -> T {
        let reading = BlockingReading<T>()
        Task {
            do { reading.finish(.success(try await read(body))) } catch { reading.finish(.failure(error)) }
        }
        return try reading.wait()
    }
}

/// The outcome of a reading for which a thread waits.
private final class BlockingReading<T: Sendable>: Sendable {
    private let outcome = Mutex<Result<T, any Error>?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    func finish(_ result: Result<T, any Error>) {
        outcome.withLock { $0 = result }
        isDone.signal()
    }

    func wait() throws -> T {
        isDone.wait()
        return try (outcome.withLock { $0 } ?? .failure(CancellationError())).get()
    }
}
