// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import Synchronization
internal import UnixSocket

/// Whether the server accepts requests. Notifies the service manager once every listener is open.
final class Readiness: Sendable {
    enum Stage: Equatable {
        /// Some listeners are not open yet.
        case starting(missing: Int)
        case serving
        /// The server has been asked to stop. It still answers, but further requests should go to other nodes.
        case draining
    }

    private let state: Mutex<Stage>
    private let logger: Logger

    init(listeners: Int, logger: Logger) {
        state = Mutex(.starting(missing: listeners))
        self.logger = logger
    }

    var stage: Stage { state.withLock { $0 } }

    var isDraining: Bool { stage == .draining }

    /// Counts one more open listener.
    func opened() {
        let isLast = state.withLock { stage in
            guard case .starting(let missing) = stage else { return false }
            stage = missing > 1 ? .starting(missing: missing - 1) : .serving
            return missing == 1
        }
        guard isLast else { return }
        logger.info("ready")
        do {
            try ServiceNotification.ready()
        } catch {
            logger.error("the service manager cannot be notified", metadata: ["error": "\(error)"])
        }
    }

    /// Begins to drain: the server is no longer ready.
    func drain() { state.withLock { $0 = .draining } }
}
