// SPDX-License-Identifier: Apache-2.0
internal import Processes
internal import Synchronization

/// The process of the connected agent, which opens the worker's browser: what it has started is the browser's.
///
/// The supervisor's thread says which agent serves; the threads that accept apps ask.
final class BrowserOrigin: Sendable {
    private struct Agent {
        let process: ProcessTable.Entry.Name
        let user: UInt32
    }

    private let agent = Mutex<Agent?>(nil)

    /// Follows the agent that serves from now on; nil for none.
    func follow(_ link: AgentLink?) {
        let found = link.flatMap(Self.agent)
        agent.withLock { $0 = found }
    }

    /// Reads which process the agent is, which is sure as long as that has not ended.
    private static func agent(_ link: AgentLink) -> Agent? {
        guard let pid = link.pid, pid > 1, let entry = (try? ProcessTable.entry(pid)) ?? nil, !link.hasEnded else {
            return nil
        }
        return Agent(process: entry.name, user: link.user)
    }

    /// Whether a process of this user runs below the browser that the agent has opened.
    func hasStarted(_ process: Int32, of user: UInt32) -> Bool {
        guard let agent = agent.withLock(\.self), agent.user == user, process > 1 else { return false }
        return ProcessAncestry.isStarted(process, by: agent.process)
    }
}
