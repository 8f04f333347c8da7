// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceSettings
internal import Dispatch
internal import Logging

/// Clears the files of ended sessions. Runs on the supervisor's thread; the trash is emptied on a separate queue.
final class SessionCleaner {
    /// Why the files could not be cleared, as a text for operators; nil if there is no problem.
    private(set) var problem: String?
    private let files: DeviceFiles
    private let tombstones: TombstoneStore
    private let timer: InputTimer
    private let logger: Logger
    private let trashQueue = DispatchQueue(label: "baton.trash")

    init(files: DeviceFiles, tombstones: TombstoneStore, timer: InputTimer, logger: Logger) {
        (self.files, self.tombstones, self.timer, self.logger) = (files, tombstones, timer, logger)
    }

    /// Moves the session's files to the trash, after the tombstones are on disk. If that fails,
    /// ``SupervisorInput/retrySignOut(_:)`` is posted for another try.
    ///
    /// - Returns: whether the files were moved.
    func clear(_ ended: Epoch) -> Bool {
        do {
            try tombstones.end(ended)
            try files.clearSession(of: ended)
            Failpoint.filesCleared.reach()
        } catch {
            logger.error("clearing failed, trying again", metadata: ["error": "\(error)"])
            problem =
                "The last session's files cannot be moved away. Look at the disk of the broker's directory; the broker "
                + "tries again each second."
            timer.post(.retrySignOut(ended), after: .seconds(1))
            return false
        }
        problem = nil
        emptyTrash()
        return true
    }

    /// Forgets the problem, because the device is ready.
    func forgetProblem() { problem = nil }

    /// Unlinks the files of ended sessions, on a separate queue.
    func emptyTrash() {
        let (files, logger, timer) = (files, logger, timer)
        // One at a time: two concurrent removals of the same tree would disturb each other.
        trashQueue.async {
            do { try files.emptyTrash() } catch {
                logger.error("emptying the trash failed, trying again", metadata: ["error": "\(error)"])
                timer.post(.emptyTrash, after: .seconds(60))
            }
        }
    }
}
