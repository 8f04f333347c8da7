// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import JSON
package import Logging
internal import Processes
internal import Synchronization
package import UnixSocket

/// Serves the helper's socket. It answers the broker's user and refuses everybody else.
package final class HelperService: Sendable {
    private typealias Channel = FramedJSON<HelperRequest, HelperReply>

    private let helper: SessionHelper
    private let listener: Listener
    private let broker: UInt32
    private let endsWhenReplaced: Bool
    private let logger: Logger
    private let connections = Mutex(0)
    /// Locked during each request, so that no two requests make or remove the same thing.
    private let turn = Mutex(())

    /// The maximum number of connections. The broker has one connection; after a restart of the broker, the former
    /// connection may still be open.
    private static let maximumConnections = 4

    /// - Parameters:
    ///   - broker: the user whose requests are answered.
    ///   - endsWhenReplaced: whether the process ends after its last connection if an upgrade has replaced its program.
    ///     The service manager must hold the socket, so that the next connection starts the new program.
    package init(
        helper: SessionHelper, listener: Listener, broker: UInt32, endsWhenReplaced: Bool, logger: Logger
    ) {
        (self.helper, self.listener, self.broker) = (helper, listener, broker)
        (self.endsWhenReplaced, self.logger) = (endsWhenReplaced, logger)
    }

    /// Serves connections until the process ends; blocks.
    ///
    /// - Throws: ``SocketError`` if the listener fails, ``ThreadFailure`` if no thread can be started.
    package func run() throws {
        while true {
            let descriptor = try listener.accept()
            let isFree = connections.withLock { count in
                guard count < Self.maximumConnections else { return false }
                count += 1
                return true
            }
            guard isFree else {
                logger.notice("a connection is refused: the limit is reached")
                continue
            }
            try BlockingThread.start { [self] in
                serve(descriptor)
                leave()
            }
        }
    }

    /// Counts the end of a connection. After the last one, ends the process if its program was replaced. No request is
    /// lost: a connection that has not been accepted yet waits for the next process.
    private func leave() {
        connections.withLock { count in
            count -= 1
            guard endsWhenReplaced, count == 0, OwnProgram.isReplaced else { return }
            logger.notice("the helper ends, so that the installed version starts")
            exit(0)
        }
    }

    /// Answers the requests of one connection until it ends.
    private func serve(_ descriptor: Descriptor) {
        let channel = Channel(
            FrameConnection(descriptor, maximumFrame: Wire.helperLimits.bytes), limits: Wire.helperLimits)
        guard let peer = try? descriptor.peer(), peer.uid == broker else {
            logger.warning("a caller is refused: it is not the broker's user")
            try? channel.send(
                .refused(
                    HelperRefusal(
                        .callerNotAllowed,
                        "Only the broker's user may send requests. See --broker of baton-helper.")))
            return
        }
        while true {
            let reply: HelperReply
            var isMalformed = false
            do {
                let (request, descriptors) = try channel.receive()
                reply = turn.withLock { _ in helper.reply(to: request, descriptors) }
                if case .refused(let refusal) = reply {
                    logger.error("a request is refused", metadata: ["error.code": "\(refusal.code.rawValue)"])
                }
            } catch let failure as FrameConnection.ReadFailure where Self.isEnd(failure) {
                return
            } catch {
                reply = .refused(
                    HelperRefusal(
                        .requestMalformed,
                        "The helper does not know this request. Use the broker of the same release."))
                isMalformed = true
                logger.error("a request is malformed")
            }
            guard (try? channel.send(reply)) != nil, !isMalformed else { return }
        }
    }

    /// Whether the connection is gone, so that nobody would receive an answer.
    private static func isEnd(_ failure: FrameConnection.ReadFailure) -> Bool {
        switch failure {
        case .ended, .truncated, .socket: true
        case .tooLarge, .notAdmitted, .tooSlow: false
        }
    }
}
