// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The waiting commands of all devices.
package struct QueueMeasures: Sendable {
    /// A state in which a command waits.
    package enum Waiting: String, CaseIterable, Sendable {
        case queued, sent
        case notNow = "not_now"
    }

    /// The number of commands in each state.
    package let counts: [Waiting: Int]
    /// When the oldest waiting command was queued; nil if no command waits.
    package let oldest: Timestamp?
}

extension MDMService {
    /// Counts the waiting commands. Reads only the waiting commands: their index and their rows.
    ///
    /// - Throws: ``StorageError``
    package func queueMeasures() async throws -> QueueMeasures {
        try await database.read { connection in
            let rows = try connection.rows(
                """
                SELECT state, COUNT(*) AS count, MIN(enqueuedAt) AS oldest FROM command
                WHERE finishedAt IS NULL GROUP BY state
                """)
            var counts: [QueueMeasures.Waiting: Int] = [:]
            var oldest: Timestamp?
            for row in rows {
                let time: Timestamp = try row["oldest"]
                oldest = min(oldest ?? time, time)
                switch try row["state"] as QueuedCommand.State {
                case .queued: counts[.queued] = try row["count"]
                case .sent: counts[.sent] = try row["count"]
                case .notNow: counts[.notNow] = try row["count"]
                case .acknowledged, .error, .formatError, .dropped: break
                }
            }
            return QueueMeasures(counts: counts, oldest: oldest)
        }
    }
}
