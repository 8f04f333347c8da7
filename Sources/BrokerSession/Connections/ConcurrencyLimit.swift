// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
package import SessionIPC
internal import Synchronization

/// Limits how many messages of one process are read and answered at once.
///
/// Each connection has a thread. Without a limit, a process with hundreds of connections has hundreds of threads that
/// compete for the locks of the session process, and requests of other apps wait behind all of them. Further messages
/// of the process wait in the order of arrival; no process waits for another process.
package final class ConcurrencyLimit: Sendable {
    private struct Waiter {
        let connection: ObjectIdentifier
        let turn: DispatchSemaphore
    }

    private struct Use {
        var running = 0
        /// The messages that wait, oldest first; at most one for each connection.
        var waiting: [Waiter] = []
        /// The connections that were given a turn and have not used it yet.
        var admitted: Set<ObjectIdentifier> = []
    }

    private let uses = Mutex<[AppProcess: Use]>([:])

    private static let maximum = 2

    package init() {}

    /// Runs `body` when it is the connection's turn.
    ///
    /// - Returns: nil if the connection ended while it waited.
    package func run<Value>(
        _ connection: ObjectIdentifier, of process: AppProcess, _ body: () throws -> Value
    ) rethrows -> Value? {
        guard enter(connection, process) else { return nil }
        defer { leave(process) }
        return try body()
    }

    /// The number of a process's messages that wait for their turn.
    package func waiting(of process: AppProcess) -> Int { uses.withLock { $0[process]?.waiting.count ?? 0 } }

    /// Removes a connection that has ended from the queue.
    package func cancel(_ connection: ObjectIdentifier, of process: AppProcess) {
        let turn: DispatchSemaphore? = uses.withLock { uses in
            guard let index = uses[process]?.waiting.firstIndex(where: { $0.connection == connection }) else {
                return nil
            }
            return uses[process]?.waiting.remove(at: index).turn
        }
        turn?.signal()
    }

    private func enter(_ connection: ObjectIdentifier, _ process: AppProcess) -> Bool {
        let turn: DispatchSemaphore? = uses.withLock { uses in
            guard uses[process, default: Use()].running >= Self.maximum else {
                uses[process, default: Use()].running += 1
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            uses[process]?.waiting.append(Waiter(connection: connection, turn: turn))
            return turn
        }
        guard let turn else { return true }
        turn.wait()
        return uses.withLock { $0[process]?.admitted.remove(connection) != nil }
    }

    /// Passes the turn to the message that has waited longest.
    private func leave(_ process: AppProcess) {
        let turn: DispatchSemaphore? = uses.withLock { uses in
            guard var use = uses[process] else { return nil }
            guard !use.waiting.isEmpty else {
                use.running -= 1
                uses[process] = use.running > 0 ? use : nil
                return nil
            }
            let next = use.waiting.removeFirst()
            use.admitted.insert(next.connection)
            uses[process] = use
            return next.turn
        }
        turn?.signal()
    }
}
