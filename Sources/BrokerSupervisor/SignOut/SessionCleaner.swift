// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Dispatch
internal import Logging

/// Clears the files of ended sessions. Runs on the supervisor's thread; the trash is emptied on a separate queue.
final class SessionCleaner {
    /// Why the files could not be cleared, as a text for operators; nil if there is no problem.
    var problem: String?
    private let files: DeviceFiles
    private let timer: InputTimer
    private let logger: Logger
    private let trashQueue = DispatchQueue(label: "baton.trash")

    init(files: DeviceFiles, timer: InputTimer, logger: Logger) {
        (self.files, self.timer, self.logger) = (files, timer, logger)
    }

    /// Moves the session's files to the trash. If that fails, ``SupervisorInput/retrySignOut(_:)`` is posted for
    /// another try.
    ///
    /// - Parameter prepare: writes what must be on disk before the files are moved.
    /// - Returns: whether the files were moved.
    func clear(_ ended: Epoch, after prepare: () throws -> Void) -> Bool {
        do {
            try prepare()
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
