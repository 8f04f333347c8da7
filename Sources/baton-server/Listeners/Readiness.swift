// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import Synchronization
internal import UnixSocket

/// Notifies the service manager once every listener is open.
final class Readiness: Sendable {
    private let missing: Mutex<Int>
    private let logger: Logger

    init(listeners: Int, logger: Logger) {
        missing = Mutex(listeners)
        self.logger = logger
    }

    /// Counts one more open listener.
    func opened() {
        let last = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        guard last else { return }
        logger.info("ready")
        do {
            try ServiceNotification.ready()
        } catch {
            logger.error("the service manager cannot be notified", metadata: ["error": "\(error)"])
        }
    }
}
