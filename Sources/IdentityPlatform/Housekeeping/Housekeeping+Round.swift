// SPDX-License-Identifier: Apache-2.0
internal import Storage

extension Housekeeping {
    /// How often each node tries to begin a round.
    package static let interval = Duration.seconds(600)
    private static let job = "housekeeping"

    /// Sweeps until nothing is left to do. If several nodes share the database, only one node sweeps, and only if at
    /// least half of ``interval`` has passed since any node last finished a round. If a node ends during its round, the
    /// next node that tries begins a new round.
    ///
    /// - Returns: whether this node did the round.
    /// - Throws: ``StorageError``, or the error of ``sweep(step:)``.
    @discardableResult
    package func round() async throws -> Bool {
        let isDone = try await database.exclusively(Self.job) {
            guard try await isDue() else { return false }
            while try await sweep() + neighbour() > 0 {
                guard !Task.isCancelled else { return true }
                await Task.yield()
            }
            try await finish()
            return true
        }
        return isDone ?? false
    }

    private func isDue() async throws -> Bool {
        guard isShared else { return true }
        let last: Timestamp? = try await database.read { connection in
            try connection.value(.finished, of: FinishedJob.self, "WHERE name = \(Self.job)")
        }
        let now = environment.now()
        // A time in the future was written by a node whose clock was wrong, so it is ignored.
        return last.map { $0 > now || $0 + Self.interval / 2 <= now } ?? true
    }

    private func finish() async throws {
        guard isShared else { return }
        let now = environment.now()
        try await database.write { connection in
            try connection.upsert(into: FinishedJob.self, key: [.name], [.name: Self.job, .finished: now])
        }
    }
}
