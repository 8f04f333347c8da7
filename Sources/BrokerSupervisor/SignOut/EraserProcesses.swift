// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import Processes

/// The processes that registered one eraser in a session, and what each has said about that session's data since.
///
/// Each of them may hold the data in its memory. So the data counts as erased only once each has erased it or has ended,
/// and the last that anybody has said is not a failure.
package struct EraserProcesses: Codable, Equatable, Sendable {
    /// The session whose data it is.
    package let epoch: Epoch
    package private(set) var registered: Set<ProcessTable.Name> = []
    package private(set) var erased: Set<ProcessTable.Name> = []
    private var failed: Set<ProcessTable.Name> = []
    /// The last answer; nil if nobody has answered.
    private var last: Bool?

    package init(of epoch: Epoch) { self.epoch = epoch }

    /// - Returns: whether there was room.
    package mutating func register(_ process: ProcessTable.Name) -> Bool {
        guard registered.count < HandoverName.maximumProcesses || registered.contains(process) else { return false }
        registered.insert(process)
        return true
    }

    /// Notes an answer.
    ///
    /// - Parameter process: nil if it is not known which process has answered. Its answer is the app's only.
    package mutating func answer(_ process: ProcessTable.Name?, hasErased: Bool) {
        last = hasErased
        guard let process, registered.contains(process) else { return }
        erased.remove(process)
        failed.remove(process)
        if hasErased { erased.insert(process) } else { failed.insert(process) }
    }

    /// The eraser's answer as a whole.
    package func answer(_ isRunning: (ProcessTable.Name) -> Bool) -> Commit.Answer {
        if failed.contains(where: isRunning) { return .failed }
        if registered.subtracting(erased).contains(where: isRunning) { return .awaited }
        return last.map { $0 ? .done : .failed } ?? .awaited
    }

    /// Whether nobody is left who could answer.
    package func isGone(_ isRunning: (ProcessTable.Name) -> Bool) -> Bool {
        !registered.isEmpty && !registered.contains(where: isRunning)
    }
}
