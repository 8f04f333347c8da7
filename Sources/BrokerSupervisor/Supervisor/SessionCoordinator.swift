// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserPolicies
internal import DeviceKeyStore
internal import DeviceSettings
internal import Logging
internal import MDMClient
internal import Processes
internal import SessionIPC

/// Owns the session machine. Each method is one transition: it carries out the steps that the session machine returns.
///
/// A transition that is requested during the steps of another one waits until those steps are finished.
final class SessionCoordinator {
    private var machine = SessionMachine(state: .ready, epoch: Epoch(id: .random(), counter: 0))
    private let queue = TransitionQueue()
    private let device: ConfiguredDevice
    private let join: JoinFlow
    private let journal: SessionJournal
    private let tombstones: TombstoneStore
    private let receipts: ReceiptWriter
    private let facts: ReceiptFacts
    private let key: LiveSessionKey
    private let sessionProcess: SessionProcess
    private let starter: SessionProcessStarter
    private let wait: AgentWait
    private let browser: BrowserSupervision
    private let cleaner: SessionCleaner
    private let processes: AppProcesses
    private let removal: AppDataRemoval
    private let requestedEnd: RequestedEnd
    private let sessionTimer: PersistedSessionTimer
    private let reports: SessionReports
    private let timer: InputTimer

    init(
        device: ConfiguredDevice, join: JoinFlow, journal: SessionJournal, tombstones: TombstoneStore,
        receipts: ReceiptWriter, facts: ReceiptFacts, key: LiveSessionKey, sessionProcess: SessionProcess,
        starter: SessionProcessStarter, wait: AgentWait,
        browser: BrowserSupervision, cleaner: SessionCleaner, processes: AppProcesses, removal: AppDataRemoval,
        requestedEnd: RequestedEnd, sessionTimer: PersistedSessionTimer, reports: SessionReports, timer: InputTimer
    ) {
        (self.device, self.join, self.journal, self.tombstones) = (device, join, journal, tombstones)
        (self.receipts, self.facts, self.key) = (receipts, facts, key)
        (self.sessionProcess, self.starter) = (sessionProcess, starter)
        (self.wait, self.browser, self.cleaner) = (wait, browser, cleaner)
        (self.processes, self.removal, self.requestedEnd) = (processes, removal, requestedEnd)
        (self.sessionTimer, self.reports, self.timer) = (sessionTimer, reports, timer)
    }

    var state: SessionMachine.State { machine.state }
    /// The current epoch.
    var epoch: Epoch { machine.epoch }

    /// Continues from the state in the journal.
    func start(_ keptKeys: [Epoch: MemoryKey]) throws {
        try join.adoptConfirmed()
        device.read()
        let record = try journal.read()
        try receipts.open()
        let isKept = key.adopt(keptKeys, for: record)
        let (recovered, outcome) = SessionMachine.recover(from: record, keyKept: isKept, newID: .random())
        machine = recovered
        if let pending = recovered.state.pending {
            processes.complete(pending.commit.erasers.filter { $0.value == .done }.keys, of: pending.ended)
        }
        try queue.add { [self] in
            switch outcome {
            case .started(let steps): try perform(steps)
            case .signingOut(let steps): try perform(steps)
            }
        }
        report()
    }

    // MARK: - Transitions

    /// Calls a method of the machine and carries out its steps.
    ///
    /// - Parameter mayConclude: true if the agent may be told afterwards to take data away. If false, the agent may
    ///   still be told if at most one eraser is awaited, or if the apps' time is over. With fifty apps, looking for
    ///   processes after each app's answer would take longer than the answers themselves.
    private func transit(mayConclude: Bool = false, _ transition: @escaping (Epoch.ID) throws -> Void) throws {
        try queue.add { [self] in
            machine.owingApps = removal.owingApps
            let isLast = machine.state.pending.map { $0.isOverdue || $0.awaitedErasers.count <= 1 } ?? false
            machine.lingeringApps = mayConclude || isLast ? removal.lingeringApps(in: machine.state) : []
            try transition(.random())
            report()
            try sessionTimer.follow(machine.state.heldEpoch, device.policy.timeouts)
        }
    }

    func signInRequested(_ requestID: SessionMachine.SignInRequestID) throws {
        try transit { [self] newID in
            switch machine.signInRequested(requestID, newID: newID) {
            case .admitted(let steps): try perform(steps)
            case .waiting: break
            case .refused(let refused): refuse(refused)
            }
        }
        wait.awaitAgentOfLastWorker(in: machine.state)
    }

    /// Handles a sign-in that has waited too long for the end of a sign-out.
    func signInTimedOut(_ requestID: SessionMachine.SignInRequestID, _ refusal: SignInRefusal) throws {
        try transit { [self] _ in machine.signInTimedOut(requestID, refusal).map(refuse) }
    }

    /// Opens the sign-in page.
    func signInPageWanted(_ url: String, _ pages: [String]) throws {
        try transit { [self] _ in
            guard let epoch = machine.browserWanted() else { return }
            try browser.open(url, pages, in: epoch)
            Failpoint.browserOrdered.reach()
        }
    }

    /// Opens a page in the signed-in worker's browser; a nil `page` means the home page.
    func pageWanted(_ page: WebAddress?, in epoch: Epoch, for requestID: UInt64) throws {
        try transit { [self] _ in
            guard machine.state.isSignedIn(in: epoch) else {
                return sessionProcess.tell(.pageSettled(requestID: requestID, .nobodySignedIn))
            }
            // Without an agent no browser opens, and none has to be cleared at the end.
            if browser.canOpen { _ = machine.browserWanted() }
            try browser.open(page, in: epoch, for: requestID)
            Failpoint.browserOrdered.reach()
        }
    }

    func signInSucceeded() throws {
        try transit { [self] _ in try perform(machine.signInSucceeded()) }
    }

    func signInFailed() throws {
        try transit { [self] newID in try perform(machine.signInFailed(newID: newID)) }
    }

    /// Ends the current session or sign-in, whether of a worker or of an administrator.
    func end(
        by trigger: SignOutTrigger, patience: Duration? = nil, answer: @escaping (SignOutOutcome) -> Void = { _ in }
    ) throws {
        let requester = requestedEnd.add(machine.state.heldEpoch, device.policy, patience: patience, answer: answer)
        try transit { [self] newID in
            switch machine.endWanted(by: requester, trigger, newID: newID) {
            case .alreadyReady(let requesters): self.answer(requesters)
            case .announced(let epoch): try requestedEnd.announce(epoch, device.policy, then: sessionProcess.prepare)
            case .waiting: break
            case .committed(let steps): try perform(steps)
            }
        }
    }

    /// Ends this epoch's session, whose announced end has waited for apps to save their work.
    func waitOver(in epoch: Epoch) throws {
        try transit { [self] newID in try perform(machine.graceExpired(epoch, newID: newID)) }
    }

    /// Ends the worker's session of this epoch; does nothing if that epoch is already over.
    func end(_ epoch: Epoch, by trigger: SignOutTrigger) throws {
        if machine.state.heldEpoch == epoch { try end(by: trigger) }
    }

    /// Notes that an app asked to be notified before the end of this epoch.
    func listenerArrived(_ epoch: Epoch) throws { try transit { [self] _ in machine.listenerArrived(epoch) } }

    func dataHolderArrived(_ app: String, _ epoch: Epoch) throws {
        try transit { [self] _ in try machine.dataHolderArrived(app, epoch).map(journal) }
    }

    func eraserEnlisted(_ eraser: AppEraser, _ epoch: Epoch) throws {
        try transit { [self] _ in try machine.eraserEnlisted(eraser, epoch).map(journal) }
    }

    func eraserAnswered(_ eraser: AppEraser, hasErased: Bool, of ended: Epoch) throws {
        try transit { [self] newID in
            guard let outcome = machine.eraserAnswered(eraser, hasErased: hasErased, of: ended, newID: newID) else {
                return
            }
            if outcome.commit.apps[eraser.bundleID] != .awaited {
                facts.mark(ItemOutcome.app(eraser.bundleID, .done).name)
            }
            try journalEnd(outcome.commit)
            try perform(outcome.completion)
        }
    }

    /// Stops waiting for erasers whose processes have all ended.
    func noteGone() throws {
        guard let pending = machine.state.pending else { return }
        let (gone, ended) = (processes.gone(pending.commit.erasers.keys, in: pending.ended), pending.ended)
        guard !gone.isSubset(of: pending.gone) else { return }
        try transit(mayConclude: true) { [self] newID in
            try perform(machine.erasersGone(gone, of: ended, newID: newID))
        }
    }

    func appsOverdue(_ ended: Epoch) throws {
        try transit(mayConclude: true) { [self] newID in try perform(machine.appsOverdue(ended, newID: newID)) }
    }

    func dataTaken(_ outcome: DataOrder.Outcome, of ended: Epoch) throws {
        try transit { [self] newID in
            try perform(
                machine.dataTaken(
                    outcome.taken, failed: outcome.failed, absent: outcome.absent, of: ended, newID: newID))
        }
    }

    func itemCleared(_ item: SessionMachine.Item, of ended: Epoch) throws {
        try transit { [self] newID in
            if machine.state.pending?.ended == ended { mark(item, of: ended) }
            try perform(machine.itemCleared(item, of: ended, newID: newID))
        }
    }

    func sessionProcessDied() throws {
        try starter.end()
        try join.adoptConfirmed()
        join.fail(.joinProcessDied)
        try transit { [self] newID in
            switch machine.sessionProcessDied(newID: newID) {
            case .restart(let epoch): if !starter.putsOff(epoch) { try startSessionProcess(epoch) }
            case .resume(let epoch): try startSessionProcess(epoch, resuming: true)
            case .committed(let steps): try perform(steps)
            }
        }
    }

    func agentArrived() throws { try transit { [self] _ in machine.agentArrived().map(closeBrowser) } }

    // MARK: - Reports

    /// Reports the session's state to other parts of the process.
    func report() {
        reports.tell(machine.epoch, held: machine.state.heldEpoch)
        reports.tell(machine.state.stage)
    }

    // MARK: - Steps

    private func perform(_ steps: [SessionMachine.StartStep]) throws {
        for step in steps {
            switch step {
            case .journal(let epoch): try journalReady(epoch)
            case .startSessionProcess(let epoch, let resuming): try startSessionProcess(epoch, resuming: resuming)
            }
        }
    }

    private func perform(_ steps: [SessionMachine.AdmissionStep]) throws {
        // The beginning of a sign-in is reported before the first step is carried out. The end of the sign-in is
        // reported after the last step.
        report()
        for step in steps {
            switch step {
            case .journal(let epoch):
                try journal.write(.signingIn(epoch))
                try facts.begin(epoch)
                Failpoint.signInJournaled.reach()
            case .makeKey:
                try key.make()
                Failpoint.keyMade.reach()
            case .admit(let requestID, let epoch):
                try admit(requestID, epoch)
                Failpoint.admitted.reach()
            }
        }
    }

    private func perform(_ steps: [SessionMachine.ConfirmationStep]) throws {
        for step in steps {
            switch step {
            case .journal(let epoch): try journal(.signedIn(epoch, erasers: []), of: epoch)
            case .confirm(let requestID):
                sessionProcess.tell(.confirm(requestID: requestID.number))
                Failpoint.confirmed.reach()
            }
        }
    }

    private func perform(_ steps: [SessionMachine.SignOutStep]) throws {
        report()
        for step in steps {
            switch step {
            case .journal(let commit): try journalEnd(commit, after: sessionProcess.prepare)
            case .destroyKey:
                facts.mark(ItemOutcome.sessionKey.name, isObserved: key.destroy())
                Failpoint.keyDestroyed.reach()
            case .endSessionProcess: try endSessionProcessOfEnded()
            case .startSessionProcess(let epoch):
                try startSessionProcess(epoch)
                sessionProcess.forwardApps()
            case .closeBrowser(let epoch):
                closeBrowser(epoch)
                // The hello of the new process tells the apps that the session has ended. Pass the apps' connections on
                // now, so that the apps get the hello before this thread waits.
                sessionProcess.forwardApps()
            case .clearFiles(let epoch): try clearFiles(of: epoch)
            case .awaitApps(let ended):
                timer.post(.appsOverdue(ended), after: .milliseconds(device.policy.eraserPatience))
                processes.watch()
                try noteGone()
            }
        }
    }

    private func perform(_ steps: [SessionMachine.CompletionStep]) throws {
        for step in steps {
            switch step {
            case .takeData(let apps, let ended):
                if let outcome = try removal.take(apps, of: ended, in: machine.state) {
                    try dataTaken(outcome, of: ended)
                }
            case .lock(let erasers, let ended): try removal.lock(erasers, until: ended)
            case .writeReceipt(let handover):
                try receipts.write(
                    handover,
                    saw: .init(
                        opened: browser.opened(in: handover.ended), files: browser.files(in: handover.ended),
                        search: browser.search(of: handover.ended)))
                reports.tell(machine.epoch, held: machine.state.heldEpoch)
                Failpoint.receiptWritten.reach()
            case .journal(let epoch): try journalReady(epoch)
            case .answer(let requesters): answer(requesters)
            case .admit(let steps): try perform(steps)
            }
        }
    }

    private func journalReady(_ epoch: Epoch) throws {
        try journal.write(.ready(epoch))
        try browser.forget()
        try removal.ready(in: machine.state)
        cleaner.forgetProblem()
        Failpoint.readyJournaled.reach()
    }

    private func journal(_ session: SessionMachine.Enlistment) throws {
        try journal(session.record, of: session.epoch)
    }

    private func journal(_ record: JournalRecord, of epoch: Epoch) throws {
        try journal.write(record)
        key.keep(for: epoch)
        Failpoint.signedInJournaled.reach()
    }

    private func journalEnd(_ commit: Commit, after prepare: () throws -> Void = {}) throws {
        try prepare()
        try journal.write(.signingOut(commit))
        facts.commit(commit.ended)
        Failpoint.endJournaled.reach()
    }

    private func mark(_ item: SessionMachine.Item, of ended: Epoch) {
        switch item {
        case .files: facts.mark(ItemOutcome.files.name, isObserved: true)
        case .browser: facts.mark(ItemOutcome.browser.name, isObserved: browser.hasSeenEnd(of: ended))
        }
    }

    func closeBrowser(_ epoch: Epoch) {
        browser.close(epoch)
        Failpoint.browserClosing.reach()
    }

    func clearFiles(of ended: Epoch) throws {
        guard cleaner.clear(ended) else { return }
        try itemCleared(.files, of: ended)
    }

    private func answer(_ waiting: [SessionMachine.Requester]) {
        requestedEnd.answer(waiting)
        Failpoint.answered.reach()
    }

    // MARK: - The session process

    private func startSessionProcess(_ epoch: Epoch, resuming: Bool = false) throws {
        try starter.start(epoch, resuming: resuming, during: machine.state.pending)
    }

    /// Ends the session process of an ended epoch, and waits for its exit.
    private func endSessionProcessOfEnded() throws {
        try starter.end()
        try processes.end()
        if join.order != nil { try join.adoptConfirmed() }
        join.fail(.joinInterrupted)
        let ended = machine.state.pending?.ended
        facts.mark(ItemOutcome.sessionProcess.name, isObserved: ended.map { facts.hasSeen($0) } ?? false)
        // The key and the process are gone, so there is time to write to disk. The next process needs the tombstones.
        if let ended { try tombstones.end(ended) }
        try facts.keepDraft()
        Failpoint.receiptCommitKept.reach()
        Failpoint.processEnded.reach()
    }

    private func admit(_ requestID: SessionMachine.SignInRequestID, _ epoch: Epoch) throws {
        switch (requestID.purpose, key.file, join.order) {
        case (.worker, let file?, _):
            sessionProcess.tell(.admit(requestID: requestID.number, epoch: epoch), descriptors: [file])
        case (.administrator, _, let order?): sessionProcess.tell(.join(order))
        case (.worker, nil, _), (.administrator, _, nil):
            // The session's key or the operator's order is gone, so this sign-in cannot continue.
            try signInFailed()
        }
    }

    private func refuse(_ refused: SessionMachine.RefusedSignIn) {
        switch refused.requestID.purpose {
        case .worker: sessionProcess.tell(.refuse(requestID: refused.requestID.number, refused.refusal))
        case .administrator: join.fail(refused.refusal.joinFailure)
        }
    }
}
