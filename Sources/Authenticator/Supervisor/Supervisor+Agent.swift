// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging
internal import Processes

extension Supervisor {
    func openBrowser(_ epoch: Epoch, _ url: String) throws {
        guard let agent else {
            tell(.browserEnded(.agentMissing))
            return
        }
        let holder = BrowserHolder(epoch: epoch.description, user: agent.user)
        if browserHolder != holder {
            try files.write(holder)
            browserHolder = holder
        }
        tell(.browserOpening(user: agent.user))
        agent.open(epoch, url)
    }

    /// Nothing of any browser is left.
    func forgetBrowserHolder() throws {
        guard browserHolder != nil else { return }
        try files.removeBrowserHolder()
        browserHolder = nil
    }

    func agentConnected(_ link: AgentLink) throws {
        guard mayServe(link) else {
            // It asks again and again: that is said once.
            if refusedAgent != link.user {
                logger.notice("agent refused while a browser is another's", metadata: ["peer.uid": "\(link.user)"])
            }
            refusedAgent = link.user
            link.end()
            return
        }
        (refusedAgent, agentWait) = (nil, nil)
        agent?.end()
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
        guard case .signingOut(let clearing) = machine.state, clearing.items.contains(.browser),
            clearing.waiting != nil, agent == nil
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
        if case .signingOut(let clearing) = machine.state, let ticket = clearing.waiting {
            try handle(.visitOverdue(ticket, .agentMissing))
        }
    }

    /// Whether this agent may take the place of the one before.
    ///
    /// While somebody is at the device an agent is believed on what became of the browser: that must be the one that has
    /// it, or, where that one died, the next of the same user, which clears away what it finds before it says hello.
    /// With nobody there the newest agent is the graphical session's.
    private func mayServe(_ link: AgentLink) -> Bool {
        guard let present = machine.state.visit?.epoch ?? machine.state.clearing?.ended else { return true }
        guard agent == nil else { return false }
        guard let browserHolder, browserHolder.epoch == present.description else { return true }
        return browserHolder.user == link.user
    }

    func agentLost() {
        agent = nil
        logger.info("agent lost")
        tell(.browserEnded(.agentMissing))
        awaitAgentOfLastWorker()
    }

    func agentSaid(_ message: AgentMessage) throws {
        switch message {
        case .hello, .opened: break
        case .activity:
            hearsInput = true
            if let stay { try activity(in: stay.epoch.description) }
        case .failed(let id, let code, _):
            guard id == visitEpoch?.counter else { return }
            logger.error("the browser did not start", metadata: ["error.code": "\(code)"])
            tell(.browserEnded(.couldNotOpen))
        case .browserExited(let epoch): if epoch == visitEpoch?.id { tell(.browserEnded(.closedByPerson)) }
        case .browserBroke(let epoch): if epoch == visitEpoch?.id { tell(.browserEnded(.broke)) }
        case .closed(let epoch):
            guard case .signingOut(let clearing) = machine.state, clearing.ended.id == epoch else { return }
            problems[.browser] = nil
            try handle(.itemCleared(.browser, clearing.ended))
        case .closeFailed(let epoch, let code, _):
            guard case .signingOut(let clearing) = machine.state, clearing.ended.id == epoch else { return }
            logger.error("the browser is not gone, trying again", metadata: ["error.code": "\(code)"])
            problems[.browser] = Self.browserProblem(code)
            post(.retryBrowser(clearing.ended), after: .seconds(1))
        }
    }

    private static func browserProblem(_ code: String) -> String {
        code == AgentFailure.Code.profileMounted.rawValue
            ? "Something is mounted in the last session's browser profile, which hides what is left there. Find it with findmnt, below "
                + "browser.profiles of baton-agent, and unmount it; then the sign-out goes on by itself."
            : "The last session's browser cannot be removed (\(code)). See the log of baton-agent; it is tried again each second."
    }

    func closeBrowserAgain(_ ended: Epoch) {
        guard case .signingOut(let clearing) = machine.state, clearing.ended == ended else { return }
        agent?.close(ended)
    }

    private var visitEpoch: Epoch? { machine.state.visit?.epoch }
}
