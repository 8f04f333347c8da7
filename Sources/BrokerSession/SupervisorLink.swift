// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import Synchronization
internal import UnixSocket

/// The session process's end of the connection to its supervisor; many threads may send, one receives.
final class SupervisorLink: Sendable {
    private let channel: FramedJSON<SupervisorMessage, SessionProcessMessage>
    private let logger: Logger
    private let sending = Mutex<Void>(())

    init(_ channel: FramedJSON<SupervisorMessage, SessionProcessMessage>, logger: Logger) {
        (self.channel, self.logger) = (channel, logger)
    }

    /// Sends a message.
    ///
    /// - Throws: ``SocketError`` when the supervisor is gone; this process is about to be killed then.
    func send(_ message: SessionProcessMessage, descriptors: [Descriptor] = []) throws {
        try sending.withLock { _ in try channel.send(message, descriptors: descriptors) }
    }

    /// Sends a message; where the supervisor is gone, so is this process in a moment.
    func tell(_ message: SessionProcessMessage, descriptors: [Descriptor] = []) {
        do { try send(message, descriptors: descriptors) } catch {
            logger.debug("supervisor does not listen", metadata: ["error": "\(error)"])
        }
    }

    /// Tells the supervisor if an app is refused because of the device, so that the directory is asked about it.
    func noteRefusal(_ error: BrokerError) { if error.meansDevice { tell(.deviceRefused) } }

    func receive() throws -> (SupervisorMessage, [Descriptor]) {
        let (message, descriptors) = try channel.receive()
        return (message, descriptors)
    }
}
