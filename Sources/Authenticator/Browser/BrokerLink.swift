// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import UnixSocket

/// The agent's way to `batond`: connects, reads orders, and connects anew when the connection is lost.
struct BrokerLink: Sendable {
    /// What the link tells, in this order for each connection.
    enum Event: Sendable {
        case connected(Connection)
        case order(AgentOrder)
        case lost
    }

    let socket: String
    let tell: @Sendable (Event) -> Void

    /// Serves for ever; blocks.
    func run() {
        var wait = Backoff()
        while true {
            do throws(SocketError) {
                let connection = try Connection.connect(to: socket, maximumFrame: AgentWire.maximumFrame)
                wait = Backoff()
                tell(.connected(connection))
                readOrders(connection)
                tell(.lost)
            } catch {
                wait.pause()
            }
        }
    }

    /// Reads until the connection ends; an order that cannot be understood ends it as well.
    private func readOrders(_ connection: Connection) {
        defer { connection.shutDown() }
        while let order = try? AgentWire.receive(AgentOrder.self, from: connection) { tell(.order(order)) }
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
