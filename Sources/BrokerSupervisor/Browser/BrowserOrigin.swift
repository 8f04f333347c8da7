// SPDX-License-Identifier: Apache-2.0
internal import Processes
internal import Synchronization

/// The process of the connected agent, which opens the worker's browser. Processes that the agent has started belong to
/// the browser.
///
/// The supervisor's thread sets the agent; the threads that accept apps read it.
final class BrowserOrigin: Sendable {
    private struct Agent {
        let process: ProcessTable.Entry.Name
        let user: UInt32
    }

    private let agent = Mutex<Agent?>(nil)

    /// Sets the connected agent; nil if there is none.
    func follow(_ link: AgentLink?) {
        let found = link.flatMap(Self.agent)
        agent.withLock { $0 = found }
    }

    /// Reads the agent's process. The result is certain as long as the process has not ended.
    private static func agent(_ link: AgentLink) -> Agent? {
        guard let pid = link.pid, pid > 1, let entry = (try? ProcessTable.entry(pid)) ?? nil, !link.hasEnded else {
            return nil
        }
        return Agent(process: entry.name, user: link.user)
    }

    /// Whether the agent runs as this user and has started this process, directly or through other processes.
    func hasStarted(_ process: Int32, of user: UInt32) -> Bool {
        guard let agent = agent.withLock(\.self), agent.user == user, process > 1 else { return false }
        return ProcessAncestry.isStarted(process, by: agent.process)
    }
}
