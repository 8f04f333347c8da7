// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import Processes

/// The processes that registered one eraser in a session, and what each has answered about that session's data.
///
/// Each of these processes may hold the data in its memory, and may have left some on the disk when it ended. The data
/// therefore counts as erased only if the last answer is not a failure, and each process has either erased the data
/// itself or had ended before another process erased it.
package struct EraserProcesses: Codable, Hashable, Sendable {
    /// The epoch of the session whose data must be erased.
    package let epoch: Epoch
    package private(set) var registered: Set<ProcessTable.Name> = []
    package private(set) var erased: Set<ProcessTable.Name> = []
    private var failed: Set<ProcessTable.Name> = []
    /// The processes that had already ended when a process last erased the data.
    private var covered: Set<ProcessTable.Name> = []
    /// The last answer; nil if nobody has answered.
    private var last: Bool?

    package init(of epoch: Epoch) { self.epoch = epoch }

    /// - Returns: false if too many processes have registered the eraser.
    package mutating func register(
        _ process: ProcessTable.Name, isRunning: (ProcessTable.Name) -> Bool
    ) -> Bool {
        if registered.contains(process) { return true }
        if registered.count >= HandoverName.maximumProcesses { forgetEnded(isRunning: isRunning) }
        guard registered.count < HandoverName.maximumProcesses else { return false }
        registered.insert(process)
        return true
    }

    /// Forgets the processes that ended during the session: a process that later erases the data also erases what they
    /// left. If no process is running, keeps one ended process, which shows that nobody can answer any more.
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

    /// Notes that each process has erased the data.
    package mutating func complete() { (last, erased, failed) = (true, registered, []) }

    /// The processes that have not answered.
    package var silent: Set<ProcessTable.Name> { registered.subtracting(erased).subtracting(failed) }

    /// The eraser's answer as a whole.
    package func answer(isRunning: (ProcessTable.Name) -> Bool) -> Commit.Answer {
        if failed.contains(where: isRunning) { return .failed }
        guard let last else { return .awaited }
        guard last else { return .failed }
        return registered.isSubset(of: erased.union(covered)) ? .done : .awaited
    }

    /// Requires the processes that erased the data to erase it again if another process has ended without an answer
    /// since then: that process may have left data.
    ///
    /// - Returns: whether they must erase again.
    package mutating func askAgain(isRunning: (ProcessTable.Name) -> Bool) -> Bool {
        let lost = registered.subtracting(erased).subtracting(covered)
        guard last == true, lost.contains(where: { !isRunning($0) }), erased.contains(where: isRunning) else {
            return false
        }
        erased = []
        return true
    }

    /// Requires the data to be erased anew, whatever the processes have answered.
    package mutating func askAnew() { (last, erased, failed, covered) = (nil, [], [], []) }

    /// Whether no running process could still answer.
    package func isGone(isRunning: (ProcessTable.Name) -> Bool) -> Bool {
        !registered.isEmpty && !registered.subtracting(erased).contains(where: isRunning)
    }
}
