// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import Logging
internal import Processes
internal import Synchronization
internal import UnixSocket

/// The supervisor's connection to `baton-helper`: one thread that sends the requests one after the other, in the order
/// in which they were made. Callers never wait.
final class HelperClient: Sendable {
    private typealias Channel = FramedJSON<HelperReply, HelperRequest>

    private enum Order: Sendable {
        case ask(HelperRequest, [Descriptor], answer: @Sendable (HelperReply) -> Void)
        /// Kill the browsers of all epochs, and remove the storage of all epochs.
        case clear
        case stop
    }

    private let socket: String
    private let logger: Logger
    private let orders = Mailbox<Order>()
    private let waiting = Mutex(0)

    /// The maximum number of requests that may wait.
    private static let maximumWaiting = 64
    /// The time limit for an answer, in milliseconds. The helper itself waits ten seconds for processes to end.
    private static let patience: Int32 = 15_000

    /// Starts the client's thread. The thread connects to the helper when the first request is made.
    ///
    /// - Parameter socket: the path of the helper's socket.
    /// - Throws: ``ThreadFailure``.
    init(socket: String, logger: Logger) throws {
        (self.socket, self.logger) = (socket, logger)
        try BlockingThread.start { [self] in serve() }
    }

    /// Sends a request. `answer` is called once, with `helper_unavailable` if the helper does not answer.
    ///
    /// - Parameter answer: runs on the client's thread, or on the caller's if too many requests wait.
    func ask(
        _ request: HelperRequest, descriptors: [Descriptor] = [], answer: @escaping @Sendable (HelperReply) -> Void
    ) {
        let hasPlace = waiting.withLock { waiting in
            guard waiting < Self.maximumWaiting else { return false }
            waiting += 1
            return true
        }
        guard hasPlace else { return answer(.refused(Self.unavailable("it is overloaded"))) }
        orders.post(.ask(request, descriptors, answer: answer))
    }

    /// Kills the browsers of all epochs and removes the storage of all epochs. Later requests are sent only after that.
    func clear() { orders.post(.clear) }

    /// Ends the thread after it has handled all earlier requests.
    func stop() { orders.post(.stop) }

    private func serve() {
        var channel: Channel?
        while true {
            switch orders.take() {
            case .ask(let request, let descriptors, let answer):
                let reply = reply(to: request, descriptors, through: &channel)
                waiting.withLock { $0 -= 1 }
                answer(reply)
            case .clear: clear(through: &channel)
            case .stop: return
            }
        }
    }

    private func clear(through channel: inout Channel?) {
        guard case .sessions(let storage, let groups) = reply(to: .list, through: &channel) else { return }
        for epoch in Set(storage + groups) {
            logger.notice("the browser of an earlier broker is ended")
            _ = reply(to: .kill(epoch: epoch), through: &channel)
            _ = reply(to: .removeStorage(epoch: epoch), through: &channel)
        }
    }

    /// Sends a request and returns the reply. If an existing connection fails, sends the request again on a new
    /// connection; this is safe because every request may be repeated.
    private func reply(
        to request: HelperRequest, _ descriptors: [Descriptor] = [], through channel: inout Channel?
    ) -> HelperReply {
        var attempts = channel == nil ? 1 : 2
        while true {
            do {
                let present = try channel ?? connect()
                channel = present
                try present.send(request, descriptors: descriptors)
                let reply = try present.receive().message
                if case .refused(let refusal) = reply {
                    logger.error("the helper refuses a request", metadata: ["error.code": "\(refusal.code.rawValue)"])
                }
                return reply
            } catch {
                (channel, attempts) = (nil, attempts - 1)
                guard attempts > 0 else {
                    logger.error("the helper does not answer", metadata: ["error": "\(error)"])
                    return .refused(Self.unavailable("\(error)"))
                }
            }
        }
    }

    /// Connects, and checks that root or the broker's own user serves the socket.
    private func connect() throws -> Channel {
        let channel = try Channel.connect(to: socket, limits: Wire.helperLimits)
        let descriptor = channel.connection.descriptor
        guard [0, geteuid()].contains(try descriptor.peer().uid) else { throw StrangeHelper() }
        try descriptor.setReceiveTimeout(milliseconds: Self.patience)
        try descriptor.setSendTimeout(milliseconds: Self.patience)
        return channel
    }

    private struct StrangeHelper: Error, CustomStringConvertible {
        var description: String { "another user's program has its socket" }
    }

    private static func unavailable(_ cause: String) -> HelperRefusal {
        HelperRefusal(
            .unavailable,
            "baton-helper does not answer (\(cause)). Start it, or leave helper out of batond.json.")
    }
}
