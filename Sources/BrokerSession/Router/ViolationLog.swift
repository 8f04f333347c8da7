// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Glibc
internal import Logging
internal import SessionIPC
internal import Synchronization
internal import UnixSocket

/// Logs each violation of the protocol for which the broker closes a connection. The lines contain nothing that the
/// client sent.
///
/// Each line is logged at most once a second, so that a client that repeats its mistake does not fill the log.
final class ViolationLog: Sendable {
    enum Violation: Hashable {
        /// The first frame is not a hello, did not arrive in time, or names no version that the broker supports.
        case noHello
        case secondHello
        /// A frame is not a message of the protocol.
        case malformed
        case tooLong
        /// The rest of a frame did not arrive.
        case unfinished

        /// The violation that ended the reading of a connection; nil if a client may end its connection in this way.
        init?(_ error: any Error) {
            if error is EnvelopeFailure {
                self = .malformed
                return
            }
            switch error as? FrameConnection.ReadFailure {
            case .tooLarge: self = .tooLong
            case .tooSlow, .truncated: self = .unfinished
            // The hello did not arrive in time: a receive timeout is set only until it arrives.
            case .socket(let failure) where failure.errno == EAGAIN: self = .unfinished
            case .ended, .notAdmitted, .socket, nil: return nil
            }
        }
    }

    private let logger: Logger
    private let last = Mutex<[Violation: ContinuousClock.Instant]>([:])
    private static let pause = Duration.seconds(1)

    init(logger: Logger) { self.logger = logger }

    func note(_ violation: Violation, of peer: PeerRecord) {
        let now = ContinuousClock.now
        let isDue = last.withLock { last in
            if let former = last[violation], now - former < Self.pause { return false }
            last[violation] = now
            return true
        }
        guard isDue else { return }
        let process: Logger.Metadata = ["peer.pid": "\(peer.pid)"]
        switch violation {
        case .noHello:
            logger.notice(
                "a connection is closed: it did not begin with a hello that the broker accepts", metadata: process)
        case .secondHello: logger.notice("a connection is closed: it sent a second hello", metadata: process)
        case .malformed:
            logger.notice("a connection is closed: a frame is not a message of the protocol", metadata: process)
        case .tooLong: logger.notice("a connection is closed: a frame is too long", metadata: process)
        case .unfinished: logger.notice("a connection is closed: the rest of a frame is missing", metadata: process)
        }
    }
}
