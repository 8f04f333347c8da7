// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import Storage
internal import Synchronization

/// Whether this process can use its databases: each of them can be reached, and since this process started, no other
/// node has upgraded a schema beyond this process's version.
///
/// The check costs little, however often it is asked for: a result is kept for ``lifetime``, and at most one check runs
/// at a time.
actor DatabaseCheck {
    /// How long a result is kept.
    static let lifetime = Duration.seconds(1)
    /// How long the databases may take to answer. This time is longer than the time for which a transaction waits for a
    /// free connection, because a database whose connections are all in use is answering.
    static let patience = Duration.seconds(6)

    private let databases: [(database: any Database, migrations: [Migration])]
    private let logger: Logger
    private var last: (isUsable: Bool, at: ContinuousClock.Instant)?
    private var running: Task<Bool, Never>?
    private var warnings = WarningPace()

    init(_ databases: [(database: any Database, migrations: [Migration])], logger: Logger) {
        (self.databases, self.logger) = (databases, logger)
    }

    /// Returns the last result, or checks again if that result is too old.
    func isUsable() async -> Bool {
        if let last, last.at.duration(to: .now) < Self.lifetime { return last.isUsable }
        let task = running ?? Task { await self.check() }
        running = task
        return await Self.value(of: task, within: Self.patience) ?? tooLate()
    }

    private func check() async -> Bool {
        defer { running = nil }
        var isUsable = true
        for (database, migrations) in databases where isUsable {
            do {
                try await database.read { try $0.checkSchema(migrations) }
            } catch let error as StorageError where error.code == .busy {
                // Other transactions use every connection, so the database is answering.
            } catch {
                isUsable = false
                warn("\(error)")
            }
        }
        last = (isUsable, .now)
        return isUsable
    }

    private func tooLate() -> Bool {
        last = (false, .now)
        warn("no answer in time")
        return false
    }

    private func warn(_ error: String) {
        guard warnings.isDue() else { return }
        logger.warning("not ready: a database cannot be used", metadata: ["error": "\(error)"])
    }

    /// Returns the value of `task`, or nil after `limit`. In the latter case, the task goes on.
    private static func value(of task: Task<Bool, Never>, within limit: Duration) async -> Bool? {
        await withCheckedContinuation { continuation in
            let first = FirstValue(continuation)
            let timer = Task {
                do { try await Task.sleep(for: limit) } catch { return }
                first.resume(nil)
            }
            Task {
                first.resume(await task.value)
                timer.cancel()
            }
        }
    }
}

/// Resumes a continuation with the first of several values.
private final class FirstValue: Sendable {
    private let waiting: Mutex<CheckedContinuation<Bool?, Never>?>

    init(_ continuation: CheckedContinuation<Bool?, Never>) { waiting = Mutex(continuation) }

    func resume(_ value: Bool?) {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }?.resume(returning: value)
    }
}
