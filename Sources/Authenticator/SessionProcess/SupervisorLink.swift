// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Synchronization
internal import UnixSocket

/// The session process's end of the connection to its supervisor; many threads may speak, one listens.
final class SupervisorLink: Sendable {
    private let channel: FramedJSON<SupervisorMessage, SessionProcessMessage>
    private let speaking = Mutex<Void>(())

    init(_ channel: FramedJSON<SupervisorMessage, SessionProcessMessage>) { self.channel = channel }

    /// Tells the supervisor.
    ///
    /// - Throws: ``SocketError`` when it is gone; this process is about to be killed then.
    func tell(_ message: SessionProcessMessage, descriptors: [Descriptor] = []) throws {
        try speaking.withLock { _ in try channel.send(message, descriptors: descriptors) }
    }

    func receive() throws -> (SupervisorMessage, [Descriptor]) {
        let (message, descriptors) = try channel.receive()
        return (message, descriptors)
    }
}
