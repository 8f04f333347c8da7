// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import UnixSocket

/// The agent's way to `batond`: connects, reads orders, and connects anew when the connection is lost.
struct BrokerLink: Sendable {
    /// What the link tells, in this order for each connection.
    enum Event: Sendable {
        case connected(Channel)
        case order(AgentOrder)
        case lost
    }

    /// The agent's end of the connection.
    typealias Channel = FramedJSON<AgentOrder, AgentMessage>

    let socket: String
    let tell: @Sendable (Event) -> Void

    /// Serves for ever; blocks.
    func run() {
        var wait = Backoff()
        while true {
            do throws(SocketError) {
                let channel = try Channel.connect(to: socket, limits: Wire.agentLimits)
                tell(.connected(channel))
                if readOrders(channel) { wait = Backoff() }
                tell(.lost)
            } catch {
                // Nobody listens, or the socket is not there: the pause below is all there is to do.
            }
            // Also after a connection: a broker that ends each one at once must not be asked without end.
            wait.pause()
        }
    }

    /// Reads until the connection ends; an order that cannot be understood ends it as well.
    ///
    /// - Returns: whether any order came.
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

/// Pauses that grow from 25 ms to a second, with chance in them so that many agents do not come at once.
struct Backoff {
    private var milliseconds: UInt32 = 25

    mutating func pause() {
        usleep(1000 * UInt32.random(in: milliseconds / 2...milliseconds))
        milliseconds = min(milliseconds * 2, 1000)
    }
}
