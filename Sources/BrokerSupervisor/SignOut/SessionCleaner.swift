// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Dispatch
internal import Logging

/// Clears the files of ended sessions; on the supervisor's thread, except for the trash.
final class SessionCleaner {
    /// Why the files are still there, for a person; nil where nothing keeps them.
    var problem: String?
    private let files: DeviceFiles
    private let timer: InputTimer
    private let logger: Logger
    private let trashQueue = DispatchQueue(label: "baton.trash")

    init(files: DeviceFiles, timer: InputTimer, logger: Logger) {
        (self.files, self.timer, self.logger) = (files, timer, logger)
    }

    /// Moves the session's files away. Where that fails, ``SupervisorInput/retrySignOut(_:)`` says when to try again.
    ///
    /// - Parameter prepare: what must be on disk before.
    /// - Returns: whether they are gone.
    func clear(_ ended: Epoch, after prepare: () throws -> Void) -> Bool {
        do {
            try prepare()
            try files.clearSession(of: ended)
            Failpoint.filesCleared.reach()
        } catch {
            logger.error("clearing failed, trying again", metadata: ["error": "\(error)"])
            problem =
                "The last session's files cannot be moved away. Look at the disk of the broker's directory; it is tried again each second."
            timer.post(.retrySignOut(ended), after: .seconds(1))
            return false
        }
        problem = nil
        emptyTrash()
        return true
    }

    /// Unlinks what ended sessions left, on a queue of its own.
    func emptyTrash() {
        let (files, logger, timer) = (files, logger, timer)
        // One at a time: two that unlink the same tree would trip over each other.
        trashQueue.async {
            do { try files.emptyTrash() } catch {
                logger.error("emptying the trash failed, trying again", metadata: ["error": "\(error)"])
                timer.post(.emptyTrash, after: .seconds(60))
            }
        }
    }
}
