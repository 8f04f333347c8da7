// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import SessionIPC
internal import Synchronization
package import UnixSocket

/// App connections that were accepted but not yet taken by the session process. Their number is bounded, and the
/// processes that connected take turns.
///
/// Any thread may offer a connection. Each time the supervisor's thread is woken, it takes the next connection. The
/// thread is not woken again before it has taken this connection.
package final class WaitingConnections: Sendable {
    package typealias Accepted = (descriptor: Descriptor, peer: PeerRecord)

    private struct State {
        var table = ConnectionTable<UInt64>(ConnectionLimits.waiting.scaled())
        var connections: [UInt64: Accepted] = [:]
        /// The connections of each process, oldest first.
        var queues: [AppProcess: [UInt64]] = [:]
        /// The processes with waiting connections, in the order of their turns.
        var turns: [AppProcess] = []
        var number: UInt64 = 0
        /// The running session process's number, if one runs, and how many connections were passed to that process but
        /// not yet taken by it.
        var sessionProcess: UInt64?
        var untaken = 0
        var isWoken = false
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// The maximum number of connections that were passed to the session process but not yet taken by it. The socket to
    /// that process has room for all of them.
    private static let maximumUntaken = 32

    /// - Parameter wake: asks the supervisor to take the next connection.
    package init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Keeps a connection until the supervisor takes it.
    ///
    /// - Returns: the limit that was reached, and the number of connections counted against it; nil if no limit was
    ///   reached. If a limit was reached, either this connection or the connection that it displaced is closed.
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

    /// Returns whether the supervisor must be woken now.
    private static func wakes(_ state: inout State) -> Bool {
        guard !state.isWoken, state.untaken < maximumUntaken, !state.turns.isEmpty else { return false }
        state.isWoken = true
        return true
    }

    /// Returns the next connection; nil if none can be passed on now. Until ``taken(by:)`` is called, the connection
    /// counts as not taken by the session process.
    package func next() -> Accepted? {
        let (found, wakes) = state.withLock { state in
            state.isWoken = false
            let found = Self.takeNext(&state)
            if found != nil, state.sessionProcess != nil { state.untaken += 1 }
            return (found, Self.wakes(&state))
        }
        if wakes { wake() }
        return found
    }

    /// Returns every connection that can be passed to the session process now; none while no process runs. Until
    /// ``taken(by:)`` is called, each counts as not taken by the session process.
    package func all() -> [Accepted] {
        state.withLock { state in
            var found: [Accepted] = []
            guard state.sessionProcess != nil else { return found }
            while let next = Self.takeNext(&state) {
                state.untaken += 1
                found.append(next)
            }
            return found
        }
    }

    private static func takeNext(_ state: inout State) -> Accepted? {
        guard state.untaken < maximumUntaken, !state.turns.isEmpty else { return nil }
        let process = state.turns.removeFirst()
        guard let number = state.queues[process]?.removeFirst() else { return nil }
        if state.queues[process]?.isEmpty ?? true { state.queues[process] = nil } else { state.turns.append(process) }
        state.table.remove(number)
        return state.connections.removeValue(forKey: number)
    }

    /// Records that the session process with this number has taken one connection.
    package func taken(by sessionProcess: UInt64) {
        let wakes = state.withLock { state in
            guard sessionProcess == state.sessionProcess, state.untaken > 0 else { return false }
            state.untaken -= 1
            return Self.wakes(&state)
        }
        if wakes { wake() }
    }

    /// Sets the number of the current session process; nil while none runs.
    package func begin(_ sessionProcess: UInt64?) {
        let wakes = state.withLock { state in
            (state.sessionProcess, state.untaken) = (sessionProcess, 0)
            return Self.wakes(&state)
        }
        if wakes { wake() }
    }
}
