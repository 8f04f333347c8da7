// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import Processes

/// The processes that registered one eraser in a session, and what each has said about that session's data since.
///
/// Each of them may hold the data in its memory, and may have left some on the disk when it ended. So the data counts as
/// erased once each has erased it, or had ended before somebody did, and the last answer is not a failure.
package struct EraserProcesses: Codable, Hashable, Sendable {
    /// The session whose data it is.
    package let epoch: Epoch
    package private(set) var registered: Set<ProcessTable.Name> = []
    package private(set) var erased: Set<ProcessTable.Name> = []
    private var failed: Set<ProcessTable.Name> = []
    /// Those that had ended when somebody erased last.
    private var covered: Set<ProcessTable.Name> = []
    /// The last answer; nil if nobody has answered.
    private var last: Bool?

    package init(of epoch: Epoch) { self.epoch = epoch }

    /// - Returns: whether there was room.
    package mutating func register(
        _ process: ProcessTable.Name, isRunning: (ProcessTable.Name) -> Bool
    ) -> Bool {
        if registered.contains(process) { return true }
        if registered.count >= HandoverName.maximumProcesses { forgetEnded(isRunning: isRunning) }
        guard registered.count < HandoverName.maximumProcesses else { return false }
        registered.insert(process)
        return true
    }

    /// Forgets the processes that have ended during the session: a process that erases later erases what they have left,
    /// too. If no process runs, keeps one of them, which shows that nobody is left who could answer.
    package mutating func forgetEnded(isRunning: (ProcessTable.Name) -> Bool) {
        let running = registered.filter(isRunning)
        registered = running.isEmpty ? Set(registered.prefix(1)) : running
    }

    /// Notes an answer.
    package mutating func answer(
        _ process: ProcessTable.Name, hasErased: Bool, isRunning: (ProcessTable.Name) -> Bool
    ) {
        last = hasErased
        if hasErased { covered = registered.filter { !isRunning($0) } }
        guard registered.contains(process) else { return }
        erased.remove(process)
        failed.remove(process)
        if hasErased { erased.insert(process) } else { failed.insert(process) }
    }

    /// Notes that each process has erased.
    package mutating func complete() { (last, erased, failed) = (true, registered, []) }

    /// Those that have said nothing.
    package var silent: Set<ProcessTable.Name> { registered.subtracting(erased).subtracting(failed) }

    /// The eraser's answer as a whole.
    package func answer(isRunning: (ProcessTable.Name) -> Bool) -> Commit.Answer {
        if failed.contains(where: isRunning) { return .failed }
        guard let last else { return .awaited }
        guard last else { return .failed }
        return registered.isSubset(of: erased.union(covered)) ? .done : .awaited
    }

    /// If a process has ended without an answer since the others erased, they must erase again: it may have left data.
    ///
    /// - Returns: whether anybody must.
    package mutating func askAgain(isRunning: (ProcessTable.Name) -> Bool) -> Bool {
        let lost = registered.subtracting(erased).subtracting(covered)
        guard last == true, lost.contains(where: { !isRunning($0) }), erased.contains(where: isRunning) else {
            return false
        }
        erased = []
        return true
    }

    /// Has the data erased anew, whatever was said about it.
    package mutating func askAnew() { (last, erased, failed, covered) = (nil, [], [], []) }

    /// Whether nobody is left who could answer.
    package func isGone(isRunning: (ProcessTable.Name) -> Bool) -> Bool {
        !registered.isEmpty && !registered.subtracting(erased).contains(where: isRunning)
    }
}
