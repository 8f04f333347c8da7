// SPDX-License-Identifier: Apache-2.0
internal import Processes
internal import Synchronization

/// The process of the connected agent. The agent opens the worker's browser, so every process that the agent has
/// started counts as part of the browser.
///
/// The supervisor's thread sets the agent; the threads that accept apps read it.
final class BrowserOrigin: Sendable {
    private struct Agent {
        let process: ProcessTable.Name
        let user: UInt32
    }

    private let agent = Mutex<Agent?>(nil)

    /// Sets the connected agent; nil if there is none.
    func follow(_ link: AgentLink?) {
        let found = link.flatMap(Self.agent)
        agent.withLock { $0 = found }
    }

    /// Finds the agent's process in the process table. As long as that process has not ended, the result is certain.
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
