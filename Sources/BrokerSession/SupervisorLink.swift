// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import Logging
internal import SessionIPC
internal import Synchronization
internal import UnixSocket

/// The session process's end of the connection to its supervisor. Many threads may send; one thread receives.
final class SupervisorLink: Sendable {
    private let channel: FramedJSON<SupervisorMessage, SessionProcessMessage>
    private let logger: Logger
    private let sending = Mutex<Void>(())

    init(_ channel: FramedJSON<SupervisorMessage, SessionProcessMessage>, logger: Logger) {
        (self.channel, self.logger) = (channel, logger)
    }

    /// Sends a message.
    ///
    /// - Throws: ``SocketError`` if the supervisor has ended; this process is then killed shortly afterwards.
    func send(_ message: SessionProcessMessage, descriptors: [Descriptor] = []) throws {
        try sending.withLock { _ in try channel.send(message, descriptors: descriptors) }
    }

    /// Sends a message. An error is only logged: if the supervisor has ended, this process is killed shortly
    /// afterwards.
    func tell(_ message: SessionProcessMessage, descriptors: [Descriptor] = []) {
        do { try send(message, descriptors: descriptors) } catch {
            logger.debug("the supervisor cannot be reached", metadata: ["error": "\(error)"])
        }
    }

    /// Tells the supervisor if the server refused the device itself, so that the supervisor has the device's
    /// registration checked.
    func noteRefusal(_ error: BrokerError) { if error.meansDevice { tell(.deviceRefused) } }

    func receive() throws -> (SupervisorMessage, [Descriptor]) {
        let (message, descriptors) = try channel.receive()
        return (message, descriptors)
    }
}
