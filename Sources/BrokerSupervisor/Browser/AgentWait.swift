// SPDX-License-Identifier: Apache-2.0
import SessionIPC

/// Owns the wait for an agent to connect. A page can open once an agent has connected.
final class AgentWait {
    /// The page that opens as soon as an agent connects, and the platform's pages to which it leads; nil if no page
    /// waits.
    private var page: (url: String, pages: [String])?
    /// The number of the current wait; nil if there is none.
    private var number: UInt64?
    private var count: UInt64 = 0
    private let agent: ConnectedAgent
    private let sessionProcess: SessionProcess
    private let timer: InputTimer

    /// How long a sign-in waits for a missing agent. An agent that was cut off by a restart of the broker reconnects
    /// sooner.
    private static let patience = Duration.seconds(3)

    init(agent: ConnectedAgent, sessionProcess: SessionProcess, timer: InputTimer) {
        (self.agent, self.sessionProcess, self.timer) = (agent, sessionProcess, timer)
    }

    /// Keeps the page until an agent connects, for a limited time.
    func keep(_ url: String, _ pages: [String]) {
        page = (url, pages)
        begin()
    }

    /// Returns the page that waits for an agent, and no longer keeps it.
    func takePage() -> (url: String, pages: [String])? {
        defer { page = nil }
        return page
    }

    /// Limits the wait of a sign-in that cannot begin because no agent is connected to clear the last worker's browser.
    func awaitAgentOfLastWorker(in state: SessionMachine.State) {
        guard let pending = state.pending, pending.items.contains(.browser), pending.waiting != nil, agent.link == nil
        else { return }
        begin()
    }

    /// Starts a wait, unless an earlier one has not ended.
    private func begin() {
        guard number == nil else { return }
        count += 1
        number = count
        timer.post(.agentOverdue(wait: count), after: Self.patience)
    }

    /// Ends the wait: an agent has connected.
    func end() { number = nil }

    /// Handles the end of the wait's time.
    ///
    /// - Returns: whether `overdue` is the number of the current wait.
    func overdue(_ overdue: UInt64) -> Bool {
        guard overdue == number else { return false }
        number = nil
        if takePage() != nil { sessionProcess.tell(.browserEnded(.agentMissing)) }
        return true
    }

    /// Drops the wait of a session process that has ended.
    func drop() { (page, number) = (nil, nil) }
}
