// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerIPC
internal import Synchronization
package import UnixSocket

/// App connections that were accepted and that the session process has not taken yet: a bounded number, in turn for each
/// process.
///
/// Any thread offers; the supervisor's takes the next one whenever it is woken, which never happens twice at once.
package final class WaitingConnections: Sendable {
    package typealias Accepted = (descriptor: Descriptor, peer: PeerRecord)

    private struct State {
        var table = ConnectionTable<UInt64>(ConnectionLimits.waiting.scaled())
        var connections: [UInt64: Accepted] = [:]
        /// The connections of each process, the oldest first.
        var queues: [AppProcess: [UInt64]] = [:]
        /// The processes that have any, whose turn it is first.
        var turns: [AppProcess] = []
        var number: UInt64 = 0
        /// The session process that is told of connections, where one runs, and how many it has not taken.
        var sessionProcess: UInt64?
        var underWay = 0
        var isWoken = false
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// Connections on the way to the session process: its socket has room for all of them.
    private static let maximumUnderWay = 32

    /// - Parameter wake: has the supervisor ask for the next one.
    package init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Keeps a connection until the supervisor asks for it.
    ///
    /// - Returns: the limit that this reached, and how many those had whom it is for; the connection, or the one that made
    ///   room for it, is closed then.
    package func offer(_ descriptor: Descriptor, _ peer: PeerRecord) -> (limit: ConnectionLimitReport.Limit, held: Int)?
    {
        let accepted: Accepted = (descriptor: descriptor, peer: peer)
        let (reached, wakes) = state.withLock { state in
            state.number += 1
            let number = state.number
            let admission = state.table.admit(number, of: peer.process) { .init(isIdle: true, last: $0) }
            var limit: ConnectionLimitReport.Limit?
            switch admission {
            case .refused(let reached): limit = reached
            case .admitted: Self.append(number, accepted, to: &state)
            case .displacing(let other, let reached):
                limit = reached
                Self.drop(other, from: &state)
                Self.append(number, accepted, to: &state)
            }
            let held = limit.map { (limit: $0, held: state.table.count($0, of: peer.process)) }
            return (held, Self.wakes(&state))
        }
        if wakes { wake() }
        return reached
    }

    private static func append(_ number: UInt64, _ connection: Accepted, to state: inout State) {
        let process = connection.peer.process
        state.connections[number] = connection
        if state.queues[process, default: []].isEmpty { state.turns.append(process) }
        state.queues[process, default: []].append(number)
    }

    private static func drop(_ number: UInt64, from state: inout State) {
        guard let process = state.connections.removeValue(forKey: number)?.peer.process else { return }
        state.queues[process]?.removeAll { $0 == number }
        guard state.queues[process]?.isEmpty ?? true else { return }
        state.queues[process] = nil
        state.turns.removeAll { $0 == process }
    }

    /// Whether the supervisor has to be woken now.
    private static func wakes(_ state: inout State) -> Bool {
        guard !state.isWoken, state.underWay < maximumUnderWay, !state.turns.isEmpty else { return false }
        state.isWoken = true
        return true
    }

    /// Takes the next connection; it counts as under way until ``taken(by:)``. Nil if none can go now.
    package func next() -> Accepted? {
        let (found, wakes) = state.withLock { state in
            state.isWoken = false
            let found = Self.takeNext(&state)
            if found != nil, state.sessionProcess != nil { state.underWay += 1 }
            return (found, Self.wakes(&state))
        }
        if wakes { wake() }
        return found
    }

    private static func takeNext(_ state: inout State) -> Accepted? {
        guard state.underWay < maximumUnderWay, !state.turns.isEmpty else { return nil }
        let process = state.turns.removeFirst()
        guard let number = state.queues[process]?.removeFirst() else { return nil }
        if state.queues[process]?.isEmpty ?? true { state.queues[process] = nil } else { state.turns.append(process) }
        state.table.remove(number)
        return state.connections.removeValue(forKey: number)
    }

    /// The process of this number has taken one.
    package func taken(by sessionProcess: UInt64) {
        let wakes = state.withLock { state in
            guard sessionProcess == state.sessionProcess, state.underWay > 0 else { return false }
            state.underWay -= 1
            return Self.wakes(&state)
        }
        if wakes { wake() }
    }

    /// Sets the number of the current session process; nil while none runs.
    package func begin(_ sessionProcess: UInt64?) {
        let wakes = state.withLock { state in
            (state.sessionProcess, state.underWay) = (sessionProcess, 0)
            return Self.wakes(&state)
        }
        if wakes { wake() }
    }
}
