// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserPolicies
internal import Glibc
internal import Logging
internal import Processes
internal import Receipts

/// Supervises the agent of the worker's graphical session, the browser that the agent opened, and the page that waits
/// for an agent to connect.
final class BrowserSupervision {
    /// The consequence of a message from the agent.
    enum Report: Equatable {
        /// The person used an input device.
        case activity
        /// The browser of this ended epoch is gone.
        case cleared(Epoch)
        /// The agent has taken away the apps' data of this ended epoch, except that of the apps with a failure.
        case dataTaken(Epoch, [AppDataFailure])
    }

    private(set) var agent: AgentLink?
    /// Whether an agent has reported input by the person since the supervisor started.
    private(set) var hasReceivedInput = false
    /// Why windows cannot open, as the agent has reported; nil if it has not, or if one was opened since.
    private(set) var obstacleToWindows: WindowObstacle?
    private var wait = AgentWait()
    /// The requests for a worker's pages that wait for the agent's answer.
    private var pages: PageRequests
    /// The user whose agent opened a browser, and the browser's epoch. Written to disk before the browser opens.
    private var holder: BrowserHolder?
    /// The supervisor's own observation of the browser.
    private var observation: BrowserObservation?
    /// What the agent saw of the browsers.
    private var examinations: BrowserExaminations
    /// When the agent was ordered to close the browser; nil once the agent has answered.
    private var closeOrdered: ContinuousClock.Instant?
    /// The agent that was refused last, and when.
    private var refused: (user: UInt32, text: String, at: ContinuousClock.Instant)?
    /// Why the browser still exists, as a text for operators.
    private var problem: String?
    private let files: DeviceFiles
    private let clock: SupervisorClock
    private let timer: InputTimer
    /// Confines browsers with `baton-helper`; nil if the device has no helper.
    let confinement: BrowserConfinement?
    /// Sends a message to the session process.
    private let tell: (SupervisorMessage) -> Void
    private let logger: Logger

    /// How long a sign-in waits for a missing agent. An agent that was cut off by a restart of the broker reconnects
    /// sooner.
    private static let agentPatience = Duration.seconds(3)
    /// How long an agent may take to clear a browser before the delay is reported to operators.
    private static let closePatience = Duration.seconds(10)

    /// - Parameter helper: the path of the helper's socket; nil if the device has no helper.
    init(
        files: DeviceFiles, helper: String?, clock: SupervisorClock, timer: InputTimer, logger: Logger,
        tell: @escaping (SupervisorMessage) -> Void
    ) throws {
        (self.files, self.clock, self.timer, self.logger, self.tell) = (files, clock, timer, logger, tell)
        pages = PageRequests(tell: tell)
        let holder = try files.browserHolder()
        self.holder = holder
        examinations = BrowserExaminations(earlier: holder?.epoch)
        confinement = try helper.map { socket in
            BrowserConfinement(
                helper: try HelperClient(socket: socket, logger: logger), inputs: timer.inputs, earlier: holder?.epoch,
                now: clock.now, logger: logger)
        }
    }

    // MARK: - The browser

    /// Orders the agent to open a page in this epoch's browser. Writes the browser's user to disk first.
    func open(_ epoch: Epoch, _ page: BrowserPage) throws {
        guard let agent else { return tell(.browserEnded(.agentMissing)) }
        let present = BrowserHolder(epoch: epoch, user: agent.user)
        if holder != present {
            try files.write(present)
            holder = present
        }
        tell(.browserOpening(user: agent.user))
        observe(epoch)
        observation?.ordered()
        examinations.begin(epoch)
        // The browser opens as soon as it can be confined. Without a helper, it opens at once.
        guard let confinement else { return agent.open(epoch, page) }
        guard !confinement.whenReady(epoch, for: agent, { $0.open(epoch, page) }) else { return }
        switch page {
        case .signIn: tell(.browserEnded(.couldNotOpen))
        case .worker(_, let id): pages.settle(id, .tooMany)
        }
    }

    /// Orders the agent to open a page for the worker. The request is answered when the page is shown, when opening it
    /// has failed, or when the time limit has passed.
    ///
    /// - Parameter address: the page's address; nil for the home page.
    func open(_ address: WebAddress?, in epoch: Epoch, for requestID: UInt64) throws {
        guard agent != nil else { return tell(.pageSettled(requestID: requestID, .agentMissing)) }
        guard let id = pages.begin(requestID) else { return tell(.pageSettled(requestID: requestID, .tooMany)) }
        timer.post(.pageOverdue(id), after: PageRequests.patience)
        try open(epoch, .worker(address, id: id))
    }

    /// Answers the request for a page after the agent has failed to report in time whether the browser shows the page.
    func pageOverdue(_ id: UInt64) { pages.settle(id, .unconfirmed) }

    /// Orders the agent to close the browser of this epoch. If the device has a helper, the helper first kills the
    /// browser's confined processes, as soon as the agent has reported what they hold open, or does not do so in time.
    /// While no agent is connected, the helper alone ends the browser, but only if every
    /// browser of the epoch was confined; otherwise nothing happens.
    func close(_ epoch: Epoch) {
        guard let agent else {
            if let confinement, confinement.hasConfined(epoch) { confinement.kill(epoch) }
            return
        }
        observe(epoch)
        observation?.ending(by: agent, geteuid())
        guard let confinement, holder?.epoch == epoch else { return close(epoch, by: agent) }
        guard examinations.awaitLast(of: epoch) else { return confinement.kill(epoch) }
        agent.examine(epoch)
        timer.post(.browserUnexamined(epoch), after: BrowserExaminations.patience)
    }

    /// Ends the browsers of this epoch although the agent has not reported what they hold open.
    func unexamined(_ epoch: Epoch) {
        guard examinations.overdue(epoch) else { return }
        logger.error("the agent has not examined the browser in time")
        confinement?.kill(epoch)
    }

    private func examined(_ epoch: Epoch.ID, _ examination: BrowserExamination, in state: SessionMachine.State) {
        if !examination.found.isEmpty {
            logger.error("the agent reports that a browser held something open")
        }
        guard examinations.add(examination, of: epoch), let ended = state.pending?.ended else { return }
        confinement?.kill(ended)
    }

    /// Orders the agent to end the window of a sign-in, a join or a PIN that is over.
    ///
    /// If the page waits for an agent, it does not open. If it waits for its storage, the order follows it.
    func endSignIn(in state: SessionMachine.State) {
        wait.page = nil
        guard let epoch = state.session?.epoch, let agent else { return }
        guard let confinement, confinement.isPreparing(epoch) else { return agent.endSignIn(epoch) }
        _ = confinement.whenReady(epoch, for: agent) { $0.endSignIn(epoch) }
    }

    private func close(_ epoch: Epoch, by agent: AgentLink) {
        if closeOrdered == nil { closeOrdered = clock.moment() }
        agent.close(epoch)
    }

    /// Handles the helper's answer about a browser.
    func answered(_ answer: HelperAnswer, in state: SessionMachine.State) -> Report? {
        guard let confinement else { return nil }
        switch answer {
        case .storage(let epoch, let reply):
            guard !confinement.prepared(epoch, reply, for: agent) else { break }
            tell(.browserEnded(.couldNotOpen))
            pages.fail(.notShown)
        case .added(let epoch, let process, .done) where state.pending?.ended == epoch:
            // The session has ended meanwhile, and its browsers are about to be killed.
            agent?.proceed(process, isConfined: false)
        case .added(let epoch, let process, let reply):
            if !confinement.added(process, in: epoch, reply, by: agent) { tell(.browserEnded(.couldNotOpen)) }
        case .killed(let epoch, let reply):
            guard confinement.killed(epoch, reply) else { return retry(epoch) }
            guard state.pending?.ended == epoch else { break }
            if let agent {
                close(epoch, by: agent)
            } else if confinement.hasConfined(epoch) {
                confinement.remove(epoch)
            }
        case .removed(let epoch, let reply):
            guard confinement.removed(epoch, reply) else { return retry(epoch) }
            return confinement.report(epoch) ? nil : .cleared(epoch)
        case .reported(let epoch, let reply):
            confinement.reported(epoch, reply)
            return .cleared(epoch)
        }
        return nil
    }

    private func retry(_ epoch: Epoch) -> Report? {
        timer.post(.retryBrowser(epoch), after: .seconds(1))
        return nil
    }

    /// Sends the connected agent, if any, the configuration of the worker's browser.
    ///
    /// - Parameter loginURL: the identity platform's address; nil if the device is not joined.
    func configure(_ configuration: BrowserConfiguration, loginURL: String?) {
        agent?.configure(configuration, signIn: loginURL.flatMap { try? WebAddress($0) }.map(WebOrigin.init))
    }

    /// Orders the agent, if there is one, to take the apps' data of this ended epoch away.
    ///
    /// - Parameter deadline: the time since the machine was started after which nothing is moved, because the next worker
    ///   may have begun.
    func take(_ data: [AppData], of ended: Epoch, until deadline: Duration) {
        agent?.take(data, of: ended, until: deadline)
    }

    private func observe(_ epoch: Epoch) {
        if observation?.epoch != epoch { observation = BrowserObservation(epoch: epoch) }
    }

    /// Whether the supervisor itself observed the end of this epoch's browser.
    ///
    /// For a confined browser the helper's answers count as observation, because the kernel lists every process of a
    /// control group.
    func hasSeenEnd(of ended: Epoch) -> Bool {
        observation?.epoch == ended && observation?.isEndObserved == true || confinement?.hasEnded(ended) == true
    }

    /// What the agent saw of the browsers of this epoch.
    func opened(in ended: Epoch) -> Finding<[String]> { examinations.finding(of: ended) }

    /// What the agent has found by comparing the files that browsers of this epoch read.
    func files(in ended: Epoch) -> [ItemOutcome] { examinations.files(of: ended) }

    /// What the search for files that the epoch's user left behind has found.
    func search(of ended: Epoch) -> FileSearch { confinement?.search(of: ended) ?? .nowhere }

    /// Drops all records of a browser whose processes and files are gone.
    func forget() throws {
        (observation, closeOrdered, problem) = (nil, nil, nil)
        guard holder != nil else { return }
        try files.removeBrowserHolder()
        holder = nil
    }

    // MARK: - The agent

    /// Handles a new connection from an agent.
    ///
    /// - Returns: whether the agent is accepted.
    func connected(_ link: AgentLink, in state: SessionMachine.State) -> Bool {
        // The process has ended; it is unknown which process holds the connection now.
        guard !link.hasEnded else {
            link.end()
            return false
        }
        // The kernel may report the end of the process before the end of its connection. Another process may still hold
        // the connection.
        if let former = agent, former.hasEnded {
            former.end()
            lost(in: state)
        }
        guard mayServe(link, in: state) else {
            // A refused agent keeps retrying, so log the refusal only once.
            if refused?.user != link.user {
                logger.notice(
                    "an agent is refused: another is connected, or the browser belongs to another user",
                    metadata: ["peer.uid": "\(link.user)", "peer.pid": "\(link.pid ?? 0)"])
            }
            refused = (link.user, link.text, clock.moment())
            link.end()
            return false
        }
        (refused, wait.number) = (nil, nil)
        (agent, obstacleToWindows) = (link, nil)
        logger.info("agent connected")
        return true
    }

    /// Whether this agent is accepted.
    ///
    /// A connected agent keeps its place until its process ends, because the broker cannot distinguish the agent from
    /// another program of the same user. During a session or a sign-out, the next agent must run as the user whose
    /// agent opened the browser: only that user's agent can clear what is left of the browser. The agent does so before
    /// it sends its hello.
    private func mayServe(_ link: AgentLink, in state: SessionMachine.State) -> Bool {
        guard agent == nil else { return false }
        guard let present = state.session?.epoch ?? state.pending?.ended else { return true }
        guard let holder, holder.epoch == present else { return true }
        return holder.user == link.user
    }

    /// Handles the end of the agent's connection or process.
    func lost(in state: SessionMachine.State) {
        (agent, closeOrdered) = (nil, nil)
        confinement?.agentLost()
        examinations.agentLost()
        pages.fail(.agentMissing)
        logger.info("agent lost")
        tell(.browserEnded(.agentMissing))
        if let pending = state.pending, pending.items.contains(.browser) { close(pending.ended) }
        awaitAgentOfLastWorker(in: state)
    }

    /// Handles a message from the agent.
    func said(_ message: AgentMessage, in state: SessionMachine.State) -> Report? {
        let present = state.session?.epoch
        switch message {
        case .hello: break
        case .cannotOpen(let obstacle): obstacleToWindows = obstacle
        case .opened(let id):
            guard let agent, let present, id == present.counter || AgentOrder.isPage(id) else { break }
            if obstacleToWindows?.preventsSignIn != false || AgentOrder.isPage(id) { obstacleToWindows = nil }
            confinement?.opened(isPage: AgentOrder.isPage(id))
            if AgentOrder.isPage(id) { examinations.opened() }
            observation?.opened(by: agent, geteuid())
        case .passed(let id):
            guard let agent, present != nil, AgentOrder.isPage(id) else { break }
            confinement?.passed()
            observation?.opened(by: agent, geteuid())
        case .shown(let id): pages.settle(id, nil)
        case .starting(let epoch, let process):
            guard let agent else { break }
            guard let present, let confinement, epoch == present.id else {
                agent.proceed(process, isConfined: false)
                break
            }
            confinement.add(process, in: present, of: agent)
        case .activity:
            hasReceivedInput = true
            return .activity
        case .failed(let id, let code, _):
            if AgentOrder.isPage(id) {
                logger.error("a worker's page did not open", metadata: ["error.code": "\(code)"])
                pages.settle(id, PageFailure(code: code))
            }
            let obstacle = WindowObstacle(code: code, isPage: AgentOrder.isPage(id))
            if obstacleToWindows?.preventsSignIn != true { obstacleToWindows = obstacle ?? obstacleToWindows }
            guard id == present?.counter else { break }
            logger.error("the browser did not start", metadata: ["error.code": "\(code)"])
            tell(.browserEnded(BrowserEnd(obstacle)))
        case .examined(let epoch, let examination): examined(epoch, examination, in: state)
        case .browserExited(let epoch): if epoch == present?.id { tell(.browserEnded(.closedByPerson)) }
        case .browserBroke(let epoch): if epoch == present?.id { tell(.browserEnded(.broke)) }
        case .dataCleared(let epoch, let failures):
            guard let ended = state.pending?.ended, ended.id == epoch else { break }
            return .dataTaken(ended, failures)
        case .closed(let epoch): return answeredClose(of: epoch, in: state).flatMap(closed)
        case .closeFailed(let epoch, let code, _):
            guard let ended = answeredClose(of: epoch, in: state) else { break }
            logger.error("the browser still exists, trying again", metadata: ["error.code": "\(code)"])
            problem = BrowserObstacle.notCleared(code)
            timer.post(.retryBrowser(ended), after: .seconds(1))
        }
        return nil
    }

    /// Returns the ended epoch whose browser the agent was ordered to close, and records that the agent has answered.
    /// Returns nil if the agent was not ordered to close it or has already answered.
    private func answeredClose(of epoch: Epoch.ID, in state: SessionMachine.State) -> Epoch? {
        guard closeOrdered != nil, let ended = state.pending?.ended, ended.id == epoch else { return nil }
        closeOrdered = nil
        return ended
    }

    /// Handles the agent's report that the browser is gone. If the supervisor still observes a process or folder of the
    /// browser, the close is retried.
    private func closed(_ ended: Epoch) -> Report? {
        guard let agent else { return nil }
        let isConfined = confinement != nil && holder?.epoch == ended
        // The storage of a confined browser is removed below.
        if case .contradicted(let processes) = observation?.ended(by: agent, geteuid()),
            !(isConfined && processes.isEmpty)
        {
            logger.error(
                "the agent reports that the browser is gone, but it still exists, trying again",
                metadata: ["agent": "\(agent.text)", "browser.pids": "\(processes)"])
            problem = BrowserObstacle.stillThere(agent, processes)
            timer.post(.retryBrowser(ended), after: .seconds(1))
            return nil
        }
        problem = nil
        guard isConfined else { return .cleared(ended) }
        confinement?.remove(ended)
        return nil
    }

    // MARK: - Waiting for an agent

    /// Keeps the page until an agent connects, for a limited time.
    func keepPage(_ url: String) {
        wait.page = url
        awaitAgent()
    }

    /// Returns the page that waits for an agent, and no longer keeps it.
    func takePage() -> String? {
        defer { wait.page = nil }
        return wait.page
    }

    /// Limits the wait of a sign-in that cannot begin because no agent is connected to clear the last worker's browser.
    func awaitAgentOfLastWorker(in state: SessionMachine.State) {
        guard let pending = state.pending, pending.items.contains(.browser), pending.waiting != nil, agent == nil else {
            return
        }
        awaitAgent()
    }

    private func awaitAgent() {
        guard let number = wait.begin() else { return }
        timer.post(.agentOverdue(wait: number), after: Self.agentPatience)
    }

    /// Handles the end of the wait for an agent.
    ///
    /// - Returns: whether `overdue` is the number of the current wait.
    func overdue(_ overdue: UInt64) -> Bool {
        guard overdue == wait.number else { return false }
        wait.number = nil
        if takePage() != nil { tell(.browserEnded(.agentMissing)) }
        return true
    }

    /// Drops the requests of a session process that has ended.
    func dropRequests() {
        (wait.page, wait.number) = (nil, nil)
        pages.drop()
    }

    // MARK: - Status for operators

    /// Why the browser delays the sign-out, as a text for operators; nil if the delay is short.
    var obstacle: String? {
        guard let agent else {
            if let holder, let confinement, confinement.hasConfined(holder.epoch) { return confinement.problem }
            return BrowserObstacle.noAgent
        }
        if let problem = confinement?.problem ?? problem { return problem }
        guard let closeOrdered, closeOrdered.duration(to: clock.moment()) >= Self.closePatience else { return nil }
        return BrowserObstacle.noAnswer(agent)
    }

    /// The agent that was refused last; nil if no agent was refused within the last ten seconds. A refused agent
    /// retries each second.
    var rival: String? {
        guard let refused, refused.at.duration(to: clock.moment()) < .seconds(10) else { return nil }
        return refused.text
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
