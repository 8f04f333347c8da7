// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import Logging
internal import Processes

extension Supervisor {
    func openBrowser(_ epoch: Epoch, _ url: String) throws {
        guard let agent else {
            tell(.browserEnded(.agentMissing))
            return
        }
        let holder = BrowserHolder(epoch: epoch, user: agent.user)
        if browserHolder != holder {
            try files.write(holder)
            browserHolder = holder
        }
        tell(.browserOpening(user: agent.user))
        if browserObservation?.epoch != epoch { browserObservation = BrowserObservation(epoch: epoch) }
        browserObservation?.ordered()
        agent.open(epoch, url)
    }

    /// Has the agent end the browser of this epoch, where there is one.
    func closeBrowser(_ epoch: Epoch) {
        defer { Failpoint.browserClosing.reach() }
        guard let agent else { return }
        if browserObservation?.epoch != epoch { browserObservation = BrowserObservation(epoch: epoch) }
        browserObservation?.ending(by: agent, geteuid())
        if closeOrdered == nil { closeOrdered = clock.moment() }
        agent.close(epoch)
    }

    /// Nothing of any browser is left.
    func forgetBrowserHolder() throws {
        (browserObservation, closeOrdered) = (nil, nil)
        guard browserHolder != nil else { return }
        try files.removeBrowserHolder()
        browserHolder = nil
    }

    func agentConnected(_ link: AgentLink) throws {
        // Whoever holds the connection of a process that has ended is not known.
        guard !link.hasEnded else { return link.end() }
        // Its end is the kernel's word, which may be here before that of the connection.
        if agent?.hasEnded == true { loseAgent() }
        guard mayServe(link) else {
            // It asks again and again: that is said once.
            if refusedAgent?.user != link.user {
                logger.notice(
                    "an agent is refused: another is connected, or the browser is another user's",
                    metadata: ["peer.uid": "\(link.user)", "peer.pid": "\(link.pid ?? 0)"])
            }
            refusedAgent = (link.user, link.text, clock.moment())
            link.end()
            return
        }
        (refusedAgent, agentWait) = (nil, nil)
        agent = link
        logger.info("agent connected")
        try handle(.agentArrived)
        guard let page = waitingPage else { return }
        waitingPage = nil
        try handle(.browserWanted(url: page))
    }

    /// How long somebody waits for an agent that is not there: one that the broker's start cut off comes back in less.
    private static let agentPatience = Duration.seconds(3)

    /// Opens the page in a browser, or waits a moment for the agent that can.
    func browserWanted(_ url: String) throws {
        guard agent == nil else { return try handle(.browserWanted(url: url)) }
        waitingPage = url
        awaitAgent()
    }

    /// Whoever waits for a browser that nobody can clear would wait for ever: with no agent, that has an end.
    func awaitAgentOfLastWorker() {
        guard case .signingOut(let pending) = machine.state, pending.items.contains(.browser),
            pending.waiting != nil, agent == nil
        else { return }
        awaitAgent()
    }

    private func awaitAgent() {
        guard agentWait == nil else { return }
        agentWaits += 1
        agentWait = agentWaits
        post(.agentOverdue(wait: agentWaits), after: Self.agentPatience)
    }

    func agentOverdue() throws {
        agentWait = nil
        if waitingPage != nil {
            waitingPage = nil
            tell(.browserEnded(.agentMissing))
        }
        if case .signingOut(let pending) = machine.state, let requestID = pending.waiting {
            try handle(.signInTimedOut(requestID, .agentMissing))
        }
    }

    /// Whether this agent may serve.
    ///
    /// A connected agent keeps its place until its process ends, because the broker cannot tell it from another program of
    /// the same user. While somebody is at the device the next one must be of the user who has the browser,
    /// since it clears away what it finds before it says hello.
    private func mayServe(_ link: AgentLink) -> Bool {
        guard agent == nil else { return false }
        guard let present = machine.state.session?.epoch ?? machine.state.pending?.ended else { return true }
        guard let browserHolder, browserHolder.epoch == present else { return true }
        return browserHolder.user == link.user
    }

    /// The process of the agent has ended; its connection may be open still, in another one's hands.
    private func loseAgent() {
        agent?.end()
        agentLost()
    }

    func agentLost() {
        (agent, closeOrdered) = (nil, nil)
        logger.info("agent lost")
        tell(.browserEnded(.agentMissing))
        awaitAgentOfLastWorker()
    }

    func agentSaid(_ message: AgentMessage) throws {
        switch message {
        case .hello: break
        case .opened(let id):
            guard let agent, id == sessionEpoch?.counter else { return }
            browserObservation?.opened(by: agent, geteuid())
        case .activity:
            hearsInput = true
            if let sessionTimer { try activity(in: sessionTimer.epoch) }
        case .failed(let id, let code, _):
            guard id == sessionEpoch?.counter else { return }
            logger.error("the browser did not start", metadata: ["error.code": "\(code)"])
            tell(.browserEnded(.couldNotOpen))
        case .browserExited(let epoch): if epoch == sessionEpoch?.id { tell(.browserEnded(.closedByPerson)) }
        case .browserBroke(let epoch): if epoch == sessionEpoch?.id { tell(.browserEnded(.broke)) }
        case .closed(let epoch):
            guard let ended = answeredClose(of: epoch) else { return }
            try browserClosed(ended)
        case .closeFailed(let epoch, let code, _):
            guard let ended = answeredClose(of: epoch) else { return }
            logger.error("the browser is not gone, trying again", metadata: ["error.code": "\(code)"])
            problems[.browser] = Self.browserProblem(code)
            post(.retryBrowser(ended), after: .seconds(1))
        }
    }

    /// The ended epoch whose browser the agent was told to close; nil where nobody told it, or it has answered already.
    private func answeredClose(of epoch: Epoch.ID) -> Epoch? {
        guard closeOrdered != nil, case .signingOut(let pending) = machine.state, pending.ended.id == epoch else {
            return nil
        }
        closeOrdered = nil
        return pending.ended
    }

    /// The agent says that the browser is gone. Where the supervisor sees something of it, that is not so.
    private func browserClosed(_ ended: Epoch) throws {
        guard let agent else { return }
        if case .contradicted(let processes) = browserObservation?.ended(by: agent, geteuid()) {
            logger.error(
                "the agent says that the browser is gone, and it is not, trying again",
                metadata: ["agent": "\(agent.text)", "browser.pids": "\(processes)"])
            problems[.browser] = Self.browserStillThere(agent, processes)
            post(.retryBrowser(ended), after: .seconds(1))
            return
        }
        problems[.browser] = nil
        try handle(.itemCleared(.browser, ended))
    }

    private static func browserStillThere(_ agent: AgentLink, _ processes: [Int32]) -> String {
        let left =
            processes.isEmpty ? "a folder" : "process \(processes.prefix(8).map(String.init).joined(separator: ", "))"
        return
            "The agent (\(agent.text)) says that the last session's browser is gone, but something of it is still there: "
            + "\(left). It is asked again each second. Where that does not help, it may be another program in the agent's place: "
            + "end it, and start baton-agent, which clears up before it serves."
    }

    /// Why the sign-out waits for an agent that is connected; nil where it has not waited for long.
    func silence(of agent: AgentLink) -> String? {
        guard let closeOrdered, closeOrdered.duration(to: clock.moment()) >= Self.closePatience else { return nil }
        return
            "The agent (\(agent.text)) does not say what became of the last session's browser. See the log of baton-agent; end "
            + "that process where it hangs, or is none: the next baton-agent of that user clears up before it serves."
    }

    /// The agent that asks for the place of this one, and asks again each second.
    var rival: String? {
        guard let refusedAgent, refusedAgent.at.duration(to: clock.moment()) < .seconds(10) else { return nil }
        return refusedAgent.text
    }

    /// How long an agent may be at clearing a browser away before a person is told.
    private static let closePatience = Duration.seconds(10)

    private static func browserProblem(_ code: String) -> String {
        code == AgentFailure.Code.profileMounted.rawValue
            ? "Something is mounted in the last session's browser profile, which hides what is left there. Find it with findmnt, below "
                + "browser.profiles of baton-agent, and unmount it; then the sign-out goes on by itself."
            : "The last session's browser cannot be removed (\(code)). See the log of baton-agent; it is tried again each second."
    }

    func closeBrowserAgain(_ ended: Epoch) {
        guard case .signingOut(let pending) = machine.state, pending.ended == ended else { return }
        closeBrowser(ended)
    }

    private var sessionEpoch: Epoch? { machine.state.session?.epoch }
}
