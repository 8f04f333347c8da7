// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import SessionIPC

/// Passes the beginning, the messages and the end of the agent's connection to the parts that handle them, in the right
/// order.
final class AgentMessages {
    private let session: SessionCoordinator
    private let rules: SessionRules
    private let agent: ConnectedAgent
    private let wait: AgentWait
    private let pages: PageRequests
    private let browser: BrowserSupervision
    private let removal: AppDataRemoval
    private let sessionProcess: SessionProcess
    /// Lets the threads that accept apps recognise the processes that the agent started. These processes belong to the
    /// worker's browser.
    private let origin: BrowserOrigin
    private let logger: Logger

    init(
        session: SessionCoordinator, rules: SessionRules, agent: ConnectedAgent, wait: AgentWait,
        pages: PageRequests, browser: BrowserSupervision, removal: AppDataRemoval, sessionProcess: SessionProcess,
        origin: BrowserOrigin, logger: Logger
    ) {
        (self.session, self.rules, self.agent, self.wait) = (session, rules, agent, wait)
        (self.pages, self.browser, self.removal) = (pages, browser, removal)
        (self.sessionProcess, self.origin, self.logger) = (sessionProcess, origin, logger)
    }

    // MARK: - The connection

    func connected(_ link: AgentLink) throws {
        defer { origin.follow(agent.link) }
        guard accept(link) else { return }
        // Do this before a page opens, so that programs that the browser starts are recognised as the browser's.
        origin.follow(link)
        agent.configure()
        try session.agentArrived()
        removal.sendOrder(in: session.state)
        if let (url, pages) = wait.takePage() { try session.signInPageWanted(url, pages) }
    }

    private func accept(_ link: AgentLink) -> Bool {
        // The process has ended; it is unknown which process holds the connection now.
        guard !link.hasEnded else {
            link.end()
            return false
        }
        // The kernel may report the end of the process before the end of its connection. Another process may still hold
        // the connection.
        if let former = agent.link, former.hasEnded {
            former.end()
            lost()
        }
        guard mayServe(link) else {
            agent.refuse(link)
            return false
        }
        wait.end()
        agent.accept(link)
        return true
    }

    /// Whether this agent is accepted.
    ///
    /// A connected agent keeps its place until its process ends, because the broker cannot distinguish the agent from
    /// another program of the same user.
    private func mayServe(_ link: AgentLink) -> Bool {
        guard agent.link == nil else { return false }
        return browser.admits(agentOf: link.user, in: session.state)
    }

    /// Handles the end of the connection with this id.
    func lost(_ id: AgentLink.ID) {
        if id == agent.link?.id { lost() }
        origin.follow(agent.link)
    }

    private func lost() {
        agent.forget()
        browser.agentLost()
        pages.fail(.agentMissing)
        logger.info("agent lost")
        sessionProcess.tell(.browserEnded(.agentMissing))
        let state = session.state
        if let pending = state.pending, pending.items.contains(.browser) { browser.close(pending.ended) }
        wait.awaitAgentOfLastWorker(in: state)
    }

    /// Handles the end of the time in which an agent must connect.
    func overdue(_ number: UInt64) throws {
        guard wait.overdue(number), let requestID = session.state.pending?.waiting else { return }
        try session.signInTimedOut(requestID, .agentMissing)
    }

    // MARK: - Messages

    /// Handles a message on the connection with this id.
    func take(_ message: AgentMessage, from id: AgentLink.ID) throws {
        guard let link = agent.link, link.id == id else { return }
        let state = session.state
        let present = state.session?.epoch
        switch message {
        case .hello: break
        case .cannotOpen(let obstacle): agent.cannotOpen(obstacle)
        case .dataLeft(let folders): agent.left(folders: folders)
        case .opened(let id):
            guard let present, id == present.counter || AgentOrder.isPage(id) else { break }
            agent.opened(isPage: AgentOrder.isPage(id))
            browser.opened(by: link, isPage: AgentOrder.isPage(id))
        case .passed(let id):
            guard present != nil, AgentOrder.isPage(id) else { break }
            browser.passed(by: link)
        case .shown(let id): pages.settle(id, nil)
        case .starting(let epoch, let process): browser.starting(process, of: epoch, by: link, in: state)
        case .activity:
            agent.reportedInput()
            try rules.activity()
        case .failed(let id, let code, _): failed(id, code, in: present)
        case .examined(let epoch, let examination): browser.examined(epoch, examination, in: state)
        case .browserExited(let epoch): if epoch == present?.id { sessionProcess.tell(.browserEnded(.closedByPerson)) }
        case .browserBroke(let epoch): if epoch == present?.id { sessionProcess.tell(.browserEnded(.broke)) }
        case .programBroke(let epoch): if epoch == present?.id { sessionProcess.tell(.browserEnded(.programBroke)) }
        case .dataCleared(let epoch, let failures):
            guard let ended = state.pending?.ended, ended.id == epoch else { break }
            if let outcome = try removal.answered(failures, of: ended, in: state) {
                try session.dataTaken(outcome, of: ended)
            }
        case .closed(let epoch):
            if let ended = browser.closed(epoch, in: state) { try session.itemCleared(.browser, of: ended) }
        case .closeFailed(let epoch, let code, _): browser.closeFailed(epoch, code, in: state)
        }
    }

    private func failed(_ id: UInt64, _ code: String, in present: Epoch?) {
        let isPage = AgentOrder.isPage(id)
        if isPage {
            logger.error("a worker's page did not open", metadata: ["error.code": "\(code)"])
            pages.settle(id, PageFailure(code: code))
        }
        let obstacle = WindowObstacle(code: code, isPage: isPage)
        agent.failed(obstacle)
        guard id == present?.counter else { return }
        logger.error("the browser did not start", metadata: ["error.code": "\(code)"])
        sessionProcess.tell(.browserEnded(BrowserEnd(obstacle)))
    }
}

extension BrowserEnd {
    /// Why a sign-in window did not open.
    fileprivate init(_ obstacle: WindowObstacle?) {
        self =
            switch obstacle {
            case .notConfined: .notConfined
            case .policyUnknown: .policyUnknown
            case .workersPolicyUnknown, nil: .couldNotOpen
            }
    }
}
