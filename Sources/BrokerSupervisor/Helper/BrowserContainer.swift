// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
internal import Logging
internal import Processes
internal import UnixSocket

/// An answer from `baton-helper` about the browser of an epoch.
package enum HelperAnswer: Sendable {
    case storage(Epoch, HelperReply)
    case added(Epoch, process: Int32, HelperReply)
    case killed(Epoch, HelperReply)
    case removed(Epoch, HelperReply)
    case reported(Epoch, HelperReply)
}

/// Makes `baton-helper` confine the browser of an epoch: its files to memory-backed storage, its processes to a control
/// group. The helper removes the storage and kills the processes, even if the agent does not cooperate.
///
/// Used only on the supervisor's thread, which never waits for the helper: each answer arrives as a ``HelperAnswer``.
final class BrowserContainer {
    /// Work to do once the storage exists.
    typealias Order = (AgentLink) -> Void

    private enum State {
        case none
        /// The helper was asked to make the storage. The orders wait until the storage exists.
        case preparing(Epoch, orders: [Order])
        case ready(Epoch, storage: String)
    }

    let helper: HelperClient
    private let now: @Sendable () -> Int
    private let inputs: Mailbox<SupervisorInput>
    private let logger: Logger
    private var state = State.none
    /// The last epoch whose processes were all killed.
    private var killed: Epoch?
    /// The last epoch whose processes were killed and whose storage was removed.
    private var ended: Epoch?
    /// The number of the epoch's confined browsers, minus the number of browsers that the agent has reported as opened.
    /// A negative number means that a browser runs unconfined.
    private var unopened = 0
    /// Whether the agent has reported the worker's browser of the epoch as opened.
    private var hasOpened = false
    /// Whether a browser of the epoch may have run unconfined.
    private var isIncomplete = true
    /// The epoch that `unopened` and `isIncomplete` describe.
    private var watched: Epoch?
    /// A session. When it ends, the helper reports the files that its user left behind.
    private struct Session {
        let epoch: Epoch
        let user: UInt32
        /// When the session's first browser was opened: `wall` in seconds since 1970, `boot` since the machine was
        /// started.
        let (wall, boot): (Int, Duration)

        /// When the first browser was opened, in seconds since 1970. If the clock was set back since then, the time is
        /// computed from the clock as it is set now, because files of the session may be dated before `wall`.
        func since(at now: Int) -> Int { min(wall, now - Int((BootClock.now() - boot).components.seconds)) }
    }

    /// The session whose browsers this supervisor opened; nil if an earlier supervisor opened them.
    private var session: Session?
    /// The result of the search for files that the last ended epoch's user left behind.
    private var findings: (epoch: Epoch, search: FileSearch)?
    /// Why the helper did not carry out a request, as a text for operators; nil if the helper carried out the last
    /// request.
    private(set) var problem: String?

    /// The maximum number of orders that may wait for the storage.
    private static let maximumOrders = 8

    /// Ends the browsers that an earlier supervisor left running. Agents also clear their browsers when they lose the
    /// connection to the broker.
    ///
    /// - Parameter earlier: the epoch whose browser an earlier supervisor opened. It is not known whether that browser
    ///   was confined.
    init(
        helper: HelperClient, inputs: Mailbox<SupervisorInput>, earlier: Epoch?, now: @escaping @Sendable () -> Int,
        logger: Logger
    ) {
        (self.helper, self.inputs, self.now, self.logger) = (helper, inputs, now, logger)
        watched = earlier
        helper.clear()
    }

    // MARK: - Opening

    /// Carries out the order for the agent once the epoch's storage exists.
    ///
    /// - Returns: false if too many orders wait.
    func whenReady(_ epoch: Epoch, for agent: AgentLink, _ order: @escaping Order) -> Bool {
        switch state {
        case .ready(epoch, _): order(agent)
        case .preparing(epoch, let orders):
            guard orders.count < Self.maximumOrders else { return false }
            state = .preparing(epoch, orders: orders + [order])
        case .none, .preparing, .ready:
            state = .preparing(epoch, orders: [order])
            if watched != epoch {
                (watched, unopened, hasOpened, isIncomplete) = (epoch, 0, false, false)
                session = Session(epoch: epoch, user: agent.user, wall: now(), boot: BootClock.now())
            }
            ask(.makeStorage(epoch: epoch.id, user: agent.user)) { .storage(epoch, $0) }
        }
        return true
    }

    /// Whether orders wait for this epoch's storage.
    func isPreparing(_ epoch: Epoch) -> Bool {
        if case .preparing(epoch, _) = state { true } else { false }
    }

    /// Handles the answer about the storage: tells the agent the storage's path and carries out the orders that waited
    /// for the storage.
    ///
    /// - Returns: false if there is no storage. In that case no browser may open.
    func prepared(_ epoch: Epoch, _ reply: HelperReply, for agent: AgentLink?) -> Bool {
        guard case .preparing(epoch, let orders) = state else { return true }
        guard case .storage(let path, _) = reply, let agent else {
            state = .none
            problem = Self.problem(reply)
            return false
        }
        Failpoint.storageMade.reach()
        problem = nil
        state = .ready(epoch, storage: path)
        agent.confine(epoch, storage: path)
        for order in orders { order(agent) }
        return true
    }

    /// Asks the helper to put a process into the control group. The agent keeps the process waiting until the answer
    /// arrives, because the process must not become the browser before then.
    func add(_ process: Int32, in epoch: Epoch, of agent: AgentLink) {
        guard case .ready(epoch, _) = state, let parent = agent.pid.flatMap(Self.name),
            let handle = ProcessAncestry.handle(of: process, startedBy: parent), !agent.hasEnded
        else {
            logger.error("the agent names a process that it has not started", metadata: ["process": "\(process)"])
            return agent.proceed(process, isConfined: false)
        }
        ask(.addProcess(epoch: epoch.id, user: agent.user), [handle]) { .added(epoch, process: process, $0) }
    }

    private static func name(_ process: Int32) -> ProcessTable.Name? {
        guard process > 1 else { return nil }
        return ((try? ProcessTable.entry(process)) ?? nil)?.name
    }

    /// Handles the answer about a process, and tells the agent to start the browser or to end the process.
    ///
    /// - Returns: whether the process is confined.
    func added(_ process: Int32, in epoch: Epoch, _ reply: HelperReply, by agent: AgentLink?) -> Bool {
        guard case .ready(epoch, _) = state, let agent else { return true }
        let isConfined = reply == .done
        problem = isConfined ? nil : Self.problem(reply)
        if isConfined {
            Failpoint.browserConfined.reach()
            unopened += 1
        }
        agent.proceed(process, isConfined: isConfined)
        return isConfined
    }

    /// Records the agent's report that it opened a browser.
    ///
    /// - Parameter isPage: whether it is the worker's browser, which can take further pages.
    func opened(isPage: Bool) {
        unopened -= 1
        if isPage { hasOpened = true }
        if unopened < 0 { isIncomplete = true }
    }

    /// Records the agent's report that it passed a page to a browser that was already running. Whatever that browser
    /// starts is confined with it.
    func passed() { if !hasOpened { isIncomplete = true } }

    // MARK: - Ending

    /// Whether every browser that an agent reported for this epoch was confined. If so, the helper can end all of them
    /// without an agent.
    func hasConfined(_ epoch: Epoch) -> Bool { watched == epoch && !isIncomplete }

    /// Whether every browser of this epoch was confined, all processes of the epoch were killed, and the epoch's
    /// storage was removed.
    func hasEnded(_ epoch: Epoch) -> Bool { ended == epoch && !isIncomplete }

    /// Asks the helper to kill every process of the epoch's browser. The answer is ``HelperAnswer/killed(_:_:)``.
    func kill(_ epoch: Epoch) {
        state = .none
        ask(.kill(epoch: epoch.id)) { .killed(epoch, $0) }
    }

    /// Handles the answer about the processes.
    ///
    /// - Returns: whether all processes have ended.
    func killed(_ epoch: Epoch, _ reply: HelperReply) -> Bool {
        let isDone = reply == .done
        if isDone { Failpoint.browserKilled.reach() }
        killed = isDone ? epoch : nil
        problem = isDone ? nil : Self.problem(reply)
        return isDone
    }

    /// Asks the helper to remove the epoch's storage. The answer is ``HelperAnswer/removed(_:_:)``.
    func remove(_ epoch: Epoch) { ask(.removeStorage(epoch: epoch.id)) { .removed(epoch, $0) } }

    /// Handles the answer about the storage.
    ///
    /// - Returns: whether the storage is gone.
    func removed(_ epoch: Epoch, _ reply: HelperReply) -> Bool {
        let isDone = reply == .done
        if isDone { Failpoint.storageRemoved.reach() }
        if isDone, killed == epoch { ended = epoch }
        problem = isDone ? nil : Self.problem(reply)
        return isDone
    }

    /// Asks the helper which files the epoch's user has left behind. The answer is ``HelperAnswer/reported(_:_:)``.
    ///
    /// - Returns: false if the helper cannot be asked because an earlier supervisor opened the browser.
    func report(_ epoch: Epoch) -> Bool {
        guard let session, session.epoch == epoch else { return false }
        ask(.report(user: session.user, since: session.since(at: now()))) { .reported(epoch, $0) }
        return true
    }

    /// Handles the answer about the user's files.
    func reported(_ epoch: Epoch, _ reply: HelperReply) {
        guard let session, session.epoch == epoch else { return }
        findings = (epoch, FileSearch(reply, opened: session.boot, now: now()))
    }

    /// The result of the search for files at the end of this epoch.
    func search(of epoch: Epoch) -> FileSearch {
        if let findings, findings.epoch == epoch { findings.search } else { .nowhere }
    }

    /// Ends the browsers of an agent that has disconnected. The next agent's browser gets new storage.
    func agentLost() {
        if case .ready(let epoch, _) = state {
            helper.ask(.kill(epoch: epoch.id)) { _ in }
            helper.ask(.removeStorage(epoch: epoch.id)) { _ in }
        }
        (state, unopened) = (.none, 0)
    }

    private func ask(
        _ request: HelperRequest, _ descriptors: [Descriptor] = [],
        as answer: @escaping @Sendable (HelperReply) -> HelperAnswer
    ) {
        let inputs = inputs
        helper.ask(request, descriptors: descriptors) { inputs.post(.helperAnswered(answer($0))) }
    }

    private static func problem(_ reply: HelperReply) -> String {
        guard case .refused(let refusal) = reply else { return "baton-helper's answer does not match the request." }
        return refusal.message
    }
}
