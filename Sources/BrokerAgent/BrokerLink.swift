// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import CLinux
internal import Dispatch
internal import Glibc
internal import Retries
internal import UnixSocket

/// The agent's connection to `batond`. It connects, reads orders, and reconnects when the connection is lost.
struct BrokerLink: Sendable {
    /// The events of the link, in this order for each connection.
    enum Event: Sendable {
        case connected(Channel)
        case order(AgentOrder)
        case lost
        /// The link has paused between two orders, as it was asked to.
        case paused
    }

    /// The agent's end of the connection.
    typealias Channel = FramedJSON<AgentOrder, AgentMessage>

    let socket: String
    let pauses: LinkPauses
    let tell: @Sendable (Event) -> Void

    /// Reads orders from `channel`, then connects and reads orders forever; blocks.
    func run(_ channel: Channel?) {
        var waits = Backoff(from: .milliseconds(25), to: .seconds(1))
        if let channel {
            _ = readOrders(channel)
            tell(.lost)
        }
        while true {
            do throws(SocketError) {
                let channel = try Channel.connect(to: socket, limits: Wire.agentOrderLimits)
                tell(.connected(channel))
                if readOrders(channel) { waits.reset() }
                tell(.lost)
            } catch {
                // Nobody listens, or the socket does not exist: pause below and try again.
            }
            // Also pause after a connection that was open and has ended: a broker that ends every connection at once
            // must not be contacted in a tight loop.
            usleep(UInt32(waits.next().spread(.random(in: 0...1)) / .microseconds(1)))
        }
    }

    /// Reads orders until the connection ends. An order that cannot be parsed ends the connection as well.
    ///
    /// - Returns: whether any order was received.
    private func readOrders(_ channel: Channel) -> Bool {
        defer { channel.connection.shutDown() }
        var came = false
        while true {
            while channel.connection.descriptor.awaitReadable(unless: pauses.asked) {
                pauses.take { tell(.paused) }
            }
            guard let order = try? channel.receive().message else { break }
            came = true
            tell(.order(order))
        }
        return came
    }
}

/// Lets another thread stop a link between two orders, at a point where the link has read no part of the next order.
final class LinkPauses: Sendable {
    /// A descriptor that is readable from the request for a pause until the pause begins.
    let asked: Descriptor
    private let goOn = DispatchSemaphore(value: 0)

    /// - Throws: ``SocketError`` if the process has no descriptor left.
    init() throws(SocketError) {
        let event = clinux_event()
        guard event >= 0 else { throw SocketError(call: .pair, errno: -event) }
        asked = Descriptor(owning: event)
    }

    /// Asks for one pause, which the link reports and which lasts until ``end()``.
    func ask() {
        var one: UInt64 = 1
        _ = asked.withNumber { unsafe write($0, &one, MemoryLayout<UInt64>.size) }
    }

    func end() { goOn.signal() }

    /// Takes the pause that was asked for; blocks.
    fileprivate func take(_ report: () -> Void) {
        var count: UInt64 = 0
        _ = asked.withNumber { unsafe read($0, &count, MemoryLayout<UInt64>.size) }
        report()
        goOn.wait()
    }
}
