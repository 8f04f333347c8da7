// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import Logging
internal import Processes

/// The agent in the worker's graphical session, the browser that it opened, and the page that waits for an agent.
final class BrowserSupervision {
    /// What follows from a message of the agent.
    enum Report: Equatable {
        /// The person has done something.
        case activity
        /// The browser of this ended epoch is gone.
        case cleared(Epoch)
    }

    private(set) var agent: AgentLink?
    /// Whether an agent has told of the person's input since the supervisor began.
    private(set) var hasHeardInput = false
    /// The page that will be opened when an agent has come.
    private var waitingPage: String?
    /// The wait for an agent that is on, and how many there were.
    private var wait: UInt64?
    private var waits: UInt64 = 0
    /// Whose agent opened a browser, and in which epoch; on disk before the browser opens.
    private var holder: BrowserHolder?
    /// What is seen here of the browser, beside the agent's word.
    private var observation: BrowserObservation?
    /// When the agent was told to end the browser; nil where it has answered.
    private var closeOrdered: ContinuousClock.Instant?
    /// The agent that was refused last, and when.
    private var refused: (user: UInt32, text: String, at: ContinuousClock.Instant)?
    /// Why the browser is still there, for a person.
    private var problem: String?
    private let files: DeviceFiles
    private let clock: SupervisorClock
    private let timer: InputTimer
    /// Tells the session process.
    private let tell: (SupervisorMessage) -> Void
    private let logger: Logger

    /// How long somebody waits for an agent that is not there: one that the broker's start cut off comes back in less.
    private static let agentPatience = Duration.seconds(3)
    /// How long an agent may be at clearing a browser away before a person is told.
    private static let closePatience = Duration.seconds(10)

    init(
        files: DeviceFiles, clock: SupervisorClock, timer: InputTimer, logger: Logger,
        tell: @escaping (SupervisorMessage) -> Void
    ) throws {
        (self.files, self.clock, self.timer, self.logger, self.tell) = (files, clock, timer, logger, tell)
        holder = try files.browserHolder()
    }

    // MARK: - The browser

    /// Has the agent open a page in the browser of this epoch.
    func open(_ epoch: Epoch, _ url: String) throws {
        guard let agent else { return tell(.browserEnded(.agentMissing)) }
        let present = BrowserHolder(epoch: epoch, user: agent.user)
        if holder != present {
            try files.write(present)
            holder = present
        }
        tell(.browserOpening(user: agent.user))
        observe(epoch)
        observation?.ordered()
        agent.open(epoch, url)
    }

    /// Has the agent end the browser of this epoch, where there is an agent.
    func close(_ epoch: Epoch) {
        guard let agent else { return }
        observe(epoch)
        observation?.ending(by: agent, geteuid())
        if closeOrdered == nil { closeOrdered = clock.moment() }
        agent.close(epoch)
    }

    private func observe(_ epoch: Epoch) {
        if observation?.epoch != epoch { observation = BrowserObservation(epoch: epoch) }
    }

    /// Whether the end of this epoch's browser was seen here.
    func hasSeenEnd(of ended: Epoch) -> Bool { observation?.epoch == ended && observation?.isEndObserved == true }

    /// Nothing of any browser is left.
    func forget() throws {
        (observation, closeOrdered, problem) = (nil, nil, nil)
        guard holder != nil else { return }
        try files.removeBrowserHolder()
        holder = nil
    }

    // MARK: - The agent

    /// An agent has connected.
    ///
    /// - Returns: whether it serves from now on.
    func connected(_ link: AgentLink, in state: SessionMachine.State) -> Bool {
        // Whoever holds the connection of a process that has ended is not known.
        guard !link.hasEnded else {
            link.end()
            return false
        }
        // The kernel may report the end of the process before that of its connection, which another process may hold.
        if let former = agent, former.hasEnded {
            former.end()
            lost(in: state)
        }
        guard mayServe(link, in: state) else {
            // It asks again and again: that is logged once.
            if refused?.user != link.user {
                logger.notice(
                    "an agent is refused: another is connected, or the browser is another user's",
                    metadata: ["peer.uid": "\(link.user)", "peer.pid": "\(link.pid ?? 0)"])
            }
            refused = (link.user, link.text, clock.moment())
            link.end()
            return false
        }
        (refused, wait) = (nil, nil)
        agent = link
        logger.info("agent connected")
        return true
    }

    /// Whether this agent may serve.
    ///
    /// A connected agent keeps its place until its process ends, because the broker cannot tell it from another program of
    /// the same user. While somebody is at the device the next one must be of the user who has the browser,
    /// since it clears away what it finds before it says hello.
    private func mayServe(_ link: AgentLink, in state: SessionMachine.State) -> Bool {
        guard agent == nil else { return false }
        guard let present = state.session?.epoch ?? state.pending?.ended else { return true }
        guard let holder, holder.epoch == present else { return true }
        return holder.user == link.user
    }

    /// The agent's connection, or its process, has ended.
    func lost(in state: SessionMachine.State) {
        (agent, closeOrdered) = (nil, nil)
        logger.info("agent lost")
        tell(.browserEnded(.agentMissing))
        awaitAgentOfLastWorker(in: state)
    }

    /// Takes a message of the agent.
    func said(_ message: AgentMessage, in state: SessionMachine.State) -> Report? {
        let present = state.session?.epoch
        switch message {
        case .hello: break
        case .opened(let id):
            guard let agent, id == present?.counter else { break }
            observation?.opened(by: agent, geteuid())
        case .activity:
            hasHeardInput = true
            return .activity
        case .failed(let id, let code, _):
            guard id == present?.counter else { break }
            logger.error("the browser did not start", metadata: ["error.code": "\(code)"])
            tell(.browserEnded(.couldNotOpen))
        case .browserExited(let epoch): if epoch == present?.id { tell(.browserEnded(.closedByPerson)) }
        case .browserBroke(let epoch): if epoch == present?.id { tell(.browserEnded(.broke)) }
        case .closed(let epoch): return answeredClose(of: epoch, in: state).flatMap(closed)
        case .closeFailed(let epoch, let code, _):
            guard let ended = answeredClose(of: epoch, in: state) else { break }
            logger.error("the browser is not gone, trying again", metadata: ["error.code": "\(code)"])
            problem = Self.problem(code)
            timer.post(.retryBrowser(ended), after: .seconds(1))
        }
        return nil
    }

    /// The ended epoch whose browser the agent was told to close; nil where nobody told it, or it has answered already.
    private func answeredClose(of epoch: Epoch.ID, in state: SessionMachine.State) -> Epoch? {
        guard closeOrdered != nil, let ended = state.pending?.ended, ended.id == epoch else { return nil }
        closeOrdered = nil
        return ended
    }

    /// The agent says that the browser is gone. That is not so where something of it is seen here.
    private func closed(_ ended: Epoch) -> Report? {
        guard let agent else { return nil }
        if case .contradicted(let processes) = observation?.ended(by: agent, geteuid()) {
            logger.error(
                "the agent says that the browser is gone, and it is not, trying again",
                metadata: ["agent": "\(agent.text)", "browser.pids": "\(processes)"])
            problem = Self.stillThere(agent, processes)
            timer.post(.retryBrowser(ended), after: .seconds(1))
            return nil
        }
        problem = nil
        return .cleared(ended)
    }

    // MARK: - Waiting for an agent

    /// Keeps the page until an agent has come; there is a limit to that wait.
    func keepPage(_ url: String) {
        waitingPage = url
        awaitAgent()
    }

    /// The page that has waited for the agent which is here now.
    func takePage() -> String? {
        defer { waitingPage = nil }
        return waitingPage
    }

    /// Limits the wait of somebody whose sign-in waits for the last worker's browser, while no agent can clear it.
    func awaitAgentOfLastWorker(in state: SessionMachine.State) {
        guard let pending = state.pending, pending.items.contains(.browser), pending.waiting != nil, agent == nil else {
            return
        }
        awaitAgent()
    }

    private func awaitAgent() {
        guard wait == nil else { return }
        waits += 1
        wait = waits
        timer.post(.agentOverdue(wait: waits), after: Self.agentPatience)
    }

    /// No agent has come in time.
    ///
    /// - Returns: whether that wait is still on.
    func overdue(_ overdue: UInt64) -> Bool {
        guard overdue == wait else { return false }
        wait = nil
        if takePage() != nil { tell(.browserEnded(.agentMissing)) }
        return true
    }

    /// Drops what the session process has asked for, which has ended.
    func dropRequests() { (waitingPage, wait) = (nil, nil) }

    // MARK: - What a person is told

    /// Why the sign-out waits for the browser; nil where it has not waited for long.
    var obstacle: String? {
        guard let agent else {
            return
                "The last session's browser cannot be cleared without its agent. Start baton-agent in the graphical session."
        }
        if let problem { return problem }
        guard let closeOrdered, closeOrdered.duration(to: clock.moment()) >= Self.closePatience else { return nil }
        return
            "The agent (\(agent.text)) does not say what became of the last session's browser. See the log of baton-agent; end "
            + "that process where it hangs, or is none: the next baton-agent of that user clears up before it serves."
    }

    /// The agent that asks for the place of this one, and asks again each second.
    var rival: String? {
        guard let refused, refused.at.duration(to: clock.moment()) < .seconds(10) else { return nil }
        return refused.text
    }

    private static func stillThere(_ agent: AgentLink, _ processes: [Int32]) -> String {
        let left =
            processes.isEmpty ? "a folder" : "process \(processes.prefix(8).map(String.init).joined(separator: ", "))"
        return
            "The agent (\(agent.text)) says that the last session's browser is gone, but something of it is still there: "
            + "\(left). It is asked again each second. Where that does not help, it may be another program in the agent's place: "
            + "end it, and start baton-agent, which clears up before it serves."
    }

    private static func problem(_ code: String) -> String {
        code == AgentFailure.Code.profileMounted.rawValue
            ? "Something is mounted in the last session's browser profile, which hides what is left there. Find it with findmnt, below "
                + "browser.profiles of baton-agent, and unmount it; then the sign-out goes on by itself."
            : "The last session's browser cannot be removed (\(code)). See the log of baton-agent; it is tried again each second."
    }
}
