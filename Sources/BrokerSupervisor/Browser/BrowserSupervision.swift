// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserPolicies
internal import DeviceSettings
internal import Glibc
internal import Logging
internal import Processes
internal import Receipts
internal import SessionIPC

/// Owns the browsers of a session.
final class BrowserSupervision {
    /// The user whose agent opened a browser, and the browser's epoch. Written to disk before the browser opens.
    private var holder: BrowserHolder?
    /// The supervisor's own observation of the browser.
    private var observation: BrowserObservation?
    /// The agent's examinations of the browsers.
    private var examinations: BrowserExaminations
    /// When the agent was ordered to close the browser; nil once the agent has answered.
    private var closeOrdered: ContinuousClock.Instant?
    /// Why the browser still exists, as a text for operators.
    private var problem: String?
    private let files: DeviceFiles
    private let agent: ConnectedAgent
    private let pages: PageRequests
    private let sessionProcess: SessionProcess
    private let clock: SupervisorClock
    private let timer: InputTimer
    /// Confines browsers with `baton-helper`; nil if the device has no helper.
    private let confinement: BrowserContainer?
    private let logger: Logger

    /// How long an agent may take to clear a browser before the delay is reported to operators.
    private static let closePatience = Duration.seconds(10)

    /// - Parameter helper: the connection to the helper; nil if the device has no helper.
    init(
        files: DeviceFiles, helper: HelperClient?, agent: ConnectedAgent, pages: PageRequests,
        sessionProcess: SessionProcess, clock: SupervisorClock, timer: InputTimer, logger: Logger
    ) throws {
        (self.files, self.agent, self.pages, self.sessionProcess) = (files, agent, pages, sessionProcess)
        (self.clock, self.timer, self.logger) = (clock, timer, logger)
        let holder = try files.browserHolder()
        self.holder = holder
        examinations = BrowserExaminations(earlier: holder?.epoch)
        confinement = helper.map { helper in
            BrowserContainer(
                helper: helper, inputs: timer.inputs, earlier: holder?.epoch, now: clock.now, logger: logger)
        }
    }

    // MARK: - Opening

    /// Whether an agent can open a browser.
    var canOpen: Bool { agent.link != nil }

    /// Orders the agent to open a page of the session process in this epoch's browser.
    func open(_ url: String, _ pages: [String], in epoch: Epoch) throws {
        agent.configure()
        try open(epoch, .signIn(url, pages))
    }

    /// Orders the agent to open a page in this epoch's browser. Writes the browser's user to disk first.
    private func open(_ epoch: Epoch, _ page: BrowserPage) throws {
        guard let agent = agent.link else { return sessionProcess.tell(.browserEnded(.agentMissing)) }
        let present = BrowserHolder(epoch: epoch, user: agent.user)
        if holder != present {
            try files.write(present)
            holder = present
        }
        sessionProcess.tell(.browserOpening(user: agent.user))
        observe(epoch)
        observation?.ordered()
        examinations.begin(epoch)
        // The browser opens as soon as it can be confined. Without a helper, it opens at once.
        guard let confinement else { return agent.open(epoch, page) }
        guard !confinement.whenReady(epoch, for: agent, { $0.open(epoch, page) }) else { return }
        switch page {
        case .signIn: sessionProcess.tell(.browserEnded(.couldNotOpen))
        case .worker(_, let id): pages.settle(id, .tooMany)
        }
    }

    /// Orders the agent to open a page for the worker. The request is answered when the page is shown, when opening it
    /// has failed, or when the time limit has passed.
    ///
    /// - Parameter address: the page's address; nil for the home page.
    func open(_ address: WebAddress?, in epoch: Epoch, for requestID: UInt64) throws {
        guard canOpen else { return sessionProcess.tell(.pageSettled(requestID: requestID, .agentMissing)) }
        guard let id = pages.begin(requestID) else {
            return sessionProcess.tell(.pageSettled(requestID: requestID, .tooMany))
        }
        try open(epoch, .worker(address, id: id))
    }

    // MARK: - Closing

    /// Orders the agent to close the browser of this epoch. If the device has a helper, the helper first kills the
    /// browser's confined processes. It does so as soon as the agent has reported what they hold open, or when the
    /// agent's time to report is over. While no agent is connected, the helper ends the browser by itself if every
    /// browser of the epoch was confined. If one of them may have run unconfined, nothing happens until an agent
    /// connects.
    func close(_ epoch: Epoch) {
        guard let agent = agent.link else {
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

    /// Handles the agent's report of the files, sockets and ports that browsers held open.
    func examined(_ epoch: Epoch.ID, _ examination: BrowserExamination, in state: SessionMachine.State) {
        if !examination.found.isEmpty {
            logger.error("the agent reports that a browser held something open")
        }
        guard examinations.add(examination, of: epoch), let ended = state.pending?.ended else { return }
        confinement?.kill(ended)
    }

    /// Orders the agent to end the window of a sign-in, a join or a PIN page, because the window is no longer needed.
    /// If the order to open the page still waits for the browser's storage, the order to end the window is queued
    /// behind it.
    func endSignIn(in state: SessionMachine.State) {
        guard let epoch = state.session?.epoch, let agent = agent.link else { return }
        guard let confinement, confinement.isPreparing(epoch) else { return agent.endSignIn(epoch) }
        _ = confinement.whenReady(epoch, for: agent) { $0.endSignIn(epoch) }
    }

    private func close(_ epoch: Epoch, by agent: AgentLink) {
        if closeOrdered == nil { closeOrdered = clock.moment() }
        agent.close(epoch)
    }

    /// Handles the helper's answer about a browser.
    ///
    /// - Returns: the ended epoch whose browser is gone now; nil if there is no such epoch.
    func answered(_ answer: HelperAnswer, in state: SessionMachine.State) -> Epoch? {
        let agent = agent.link
        guard let confinement else { return nil }
        switch answer {
        case .storage(let epoch, let reply):
            guard !confinement.prepared(epoch, reply, for: agent) else { break }
            sessionProcess.tell(.browserEnded(.couldNotOpen))
            pages.fail(.notShown)
        case .added(let epoch, let process, .done) where state.pending?.ended == epoch:
            // The session has ended in the meantime, and its browsers are about to be killed.
            agent?.proceed(process, isConfined: false)
        case .added(let epoch, let process, let reply):
            if !confinement.added(process, in: epoch, reply, by: agent) {
                sessionProcess.tell(.browserEnded(.couldNotOpen))
            }
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
            return confinement.report(epoch) ? nil : epoch
        case .reported(let epoch, let reply):
            confinement.reported(epoch, reply)
            return epoch
        }
        return nil
    }

    private func retry(_ epoch: Epoch) -> Epoch? {
        timer.post(.retryBrowser(epoch), after: .seconds(1))
        return nil
    }

    private func observe(_ epoch: Epoch) {
        if observation?.epoch != epoch { observation = BrowserObservation(epoch: epoch) }
    }

    // MARK: - What was observed

    /// Whether the supervisor itself observed the end of this epoch's browser.
    ///
    /// For a confined browser the helper's answers count as observation, because the kernel lists every process of a
    /// control group.
    func hasSeenEnd(of ended: Epoch) -> Bool {
        observation?.epoch == ended && observation?.isEndObserved == true || confinement?.hasEnded(ended) == true
    }

    /// What the browsers of this epoch held open, according to the agent.
    func opened(in ended: Epoch) -> Finding<[String]> { examinations.finding(of: ended) }

    /// The receipt's items about whether the files that the agent wrote for this epoch's browsers were unchanged.
    func files(in ended: Epoch) -> [ItemOutcome] { examinations.files(of: ended) }

    /// The result of the search for files that the epoch's user left behind.
    func search(of ended: Epoch) -> FileSearch { confinement?.search(of: ended) ?? .nowhere }

    /// Drops all records of a browser whose processes and files are gone.
    func forget() throws {
        (observation, closeOrdered, problem) = (nil, nil, nil)
        guard holder != nil else { return }
        try files.removeBrowserHolder()
        holder = nil
    }

    // MARK: - The agent

    /// Whether an agent of this user may serve.
    ///
    /// During a session or a sign-out, the next agent must run as the user whose agent opened the browser: only that
    /// user's agent can clear what is left of the browser. The agent does so before it sends its hello.
    func admits(agentOf user: UInt32, in state: SessionMachine.State) -> Bool {
        guard let present = state.session?.epoch ?? state.pending?.ended else { return true }
        guard let holder, holder.epoch == present else { return true }
        return holder.user == user
    }

    /// Handles the end of the agent's connection or process.
    func agentLost() {
        closeOrdered = nil
        confinement?.agentLost()
        examinations.agentLost()
    }

    /// Records that the agent has opened a window.
    ///
    /// - Parameter isPage: whether it shows a worker's page.
    func opened(by agent: AgentLink, isPage: Bool) {
        confinement?.opened(isPage: isPage)
        if isPage { examinations.opened() }
        observation?.opened(by: agent, geteuid())
    }

    /// Records that the agent has passed a worker's page to a browser that was already running.
    func passed(by agent: AgentLink) {
        confinement?.passed()
        observation?.opened(by: agent, geteuid())
    }

    /// Confines a process of a browser. The process waits until it is confined.
    func starting(_ process: Int32, of epoch: Epoch.ID, by agent: AgentLink, in state: SessionMachine.State) {
        guard let present = state.session?.epoch, let confinement, epoch == present.id else {
            return agent.proceed(process, isConfined: false)
        }
        confinement.add(process, in: present, of: agent)
    }

    /// Handles the agent's report that the browser still exists.
    func closeFailed(_ epoch: Epoch.ID, _ code: String, in state: SessionMachine.State) {
        guard let ended = answeredClose(of: epoch, in: state) else { return }
        logger.error("the browser still exists, trying again", metadata: ["error.code": "\(code)"])
        problem = BrowserObstacle.notCleared(code)
        timer.post(.retryBrowser(ended), after: .seconds(1))
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
    ///
    /// - Returns: the ended epoch whose browser is gone now; nil if there is no such epoch.
    func closed(_ epoch: Epoch.ID, in state: SessionMachine.State) -> Epoch? {
        guard let ended = answeredClose(of: epoch, in: state), let agent = agent.link else { return nil }
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
        guard isConfined else { return ended }
        confinement?.remove(ended)
        return nil
    }

    // MARK: - Status for operators

    /// Why the browser delays the sign-out, as a text for operators; nil if the delay is short.
    var obstacle: String? {
        guard let agent = agent.link else {
            if let holder, let confinement, confinement.hasConfined(holder.epoch) { return confinement.problem }
            return BrowserObstacle.noAgent
        }
        if let problem = confinement?.problem ?? problem { return problem }
        guard let closeOrdered, closeOrdered.duration(to: clock.moment()) >= Self.closePatience else { return nil }
        return BrowserObstacle.noAnswer(agent)
    }
}
