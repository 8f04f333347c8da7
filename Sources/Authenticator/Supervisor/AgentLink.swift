// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging
internal import UnixSocket

/// The supervisor's end of the connection to a session's agent.
package struct AgentLink: Sendable {
    /// Tells one connection from the next.
    package typealias ID = UInt64

    package let id: ID
    let channel: FramedJSON<AgentMessage, AgentOrder>
    let logger: Logger

    func open(_ epoch: Epoch, _ url: String) { send(.open(id: epoch.counter, epoch: epoch.id, url: url)) }
    func close(_ epoch: Epoch) { send(.close(epoch: epoch.id)) }
    func end() { channel.connection.shutDown() }

    /// Sends to the agent; where it is gone, its reader thread says so in a moment.
    private func send(_ order: AgentOrder) {
        do { try channel.send(order) } catch {
            logger.debug("agent does not listen", metadata: ["error": "\(error)"])
        }
    }
}
