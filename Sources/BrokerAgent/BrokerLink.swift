// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import UnixSocket

/// The agent's connection to `batond`. It connects, reads orders, and reconnects when the connection is lost.
struct BrokerLink: Sendable {
    /// The events of the link, in this order for each connection.
    enum Event: Sendable {
        case connected(Channel)
        case order(AgentOrder)
        case lost
    }

    /// The agent's end of the connection.
    typealias Channel = FramedJSON<AgentOrder, AgentMessage>

    let socket: String
    let tell: @Sendable (Event) -> Void

    /// Connects and reads orders forever; blocks.
    func run() {
        var wait = Backoff()
        while true {
            do throws(SocketError) {
                let channel = try Channel.connect(to: socket, limits: Wire.agentOrderLimits)
                tell(.connected(channel))
                if readOrders(channel) { wait = Backoff() }
                tell(.lost)
            } catch {
                // Nobody listens, or the socket does not exist: pause below and try again.
            }
            // Pause after a connection, too: a broker that ends every connection at once must not be contacted in a
            // tight loop.
            wait.pause()
        }
    }

    /// Reads orders until the connection ends. An order that cannot be parsed ends the connection as well.
    ///
    /// - Returns: whether any order was received.
    private func readOrders(_ channel: Channel) -> Bool {
        defer { channel.connection.shutDown() }
        var came = false
        while let order = try? channel.receive().message {
            came = true
            tell(.order(order))
        }
        return came
    }
}

/// Pauses that grow from 25 ms to a second. They are randomised so that many agents do not reconnect at once.
struct Backoff {
    private var milliseconds: UInt32 = 25

    mutating func pause() {
        usleep(1000 * UInt32.random(in: milliseconds / 2...milliseconds))
        milliseconds = min(milliseconds * 2, 1000)
    }
}
