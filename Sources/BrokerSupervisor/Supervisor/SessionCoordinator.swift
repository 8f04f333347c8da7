// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceEnrollment
internal import Logging
internal import Processes

/// Passes events to the session machine, one after the other, and carries out the resulting steps.
final class SessionCoordinator {
    private(set) var machine = SessionMachine(state: .ready, epoch: Epoch(id: .random(), counter: 0))
    private let queue = EventQueue<Work>()
    let device: ManagedDevice
    var journal: SessionJournal
    let receipts: ReceiptWriter
    let sessionProcess: SessionProcess
    let browser: BrowserSupervision
    let cleaner: SessionCleaner
    var locks: AppLocks
    var appProcesses: AppProcesses
    let processWatch: ProcessWatch
    /// What the session process was told last about the erasers.
    var toldQuestions: [AppEraser: ErasureQuestion] = [:]
    /// The erasers of the session that were refused because their apps had too many processes with erasers.
    var withoutRoom: Set<AppEraser> = []
    /// The folders of the apps that were given something of the worker, with those that a registration named earlier in
    /// the session.
    var keepersFolders: [String: Set<DataFolder>] = [:]
    /// What the agent was told to take away, until it has answered.
    var dataOrder: DataOrder?
    /// The processes that the agent ended last.
    var endedProcesses: [EndedProcess] = []
    var join: JoinFlow
    var requestedEnd: RequestedEnd
    let key: LiveSessionKey
    let sessionTimer: PersistedSessionTimer
    private var reports: SessionReports
    let timer: InputTimer
    let clock: SupervisorClock
    let logger: Logger

    /// An entry of the queue.
    private enum Work {
        /// The outcome of reading the journal at the start.
        case recovery(SessionMachine.RecoveryOutcome)
        case event(SessionMachine.Event)
    }

    init(
        device: ManagedDevice, sessionProcess: SessionProcess, clock: SupervisorClock, timer: InputTimer,
        epochCount: EpochCount?, watch: @escaping @Sendable (WatchedSession) -> Void, logger: Logger
    ) throws {
        let files = device.files
        (self.device, self.sessionProcess) = (device, sessionProcess)
        (self.timer, self.clock, self.logger) = (timer, clock, logger)
        receipts = ReceiptWriter(device: device, epochCount: epochCount, clock: clock, logger: logger)
        join = try JoinFlow(files: files, logger: logger)
        journal = try SessionJournal(files: files, clock: clock, logger: logger)
        browser = try BrowserSupervision(
            files: files, helper: device.configuration.helper, clock: clock, timer: timer, logger: logger
        ) { sessionProcess.tell($0) }
        locks = try AppLocks(files: files, logger: logger)
        appProcesses = AppProcesses(files: files, logger: logger)
        processWatch = try ProcessWatch { [inputs = timer.inputs] in inputs.post(.appProcessEnded) }
        cleaner = SessionCleaner(files: files, timer: timer, logger: logger)
        requestedEnd = RequestedEnd(clock: clock, timer: timer) { sessionProcess.tell($0) }
        key = LiveSessionKey(logger: logger)
        sessionTimer = PersistedSessionTimer(files: files, clock: clock, inputs: timer, logger: logger)
        reports = SessionReports(device: device.management, watch: watch)
    }

    /// Continues from the state in the journal.
    func start(_ keptKeys: [Epoch: MemoryKey]) throws {
        try join.adoptConfirmed()
        device.read()
        let record = try device.files.journal()
        try receipts.open()
        let isKept = key.adopt(keptKeys, for: record)
        let (recovered, outcome) = SessionMachine.recover(from: record, keyKept: isKept, newID: .random())
        machine = recovered
        if let pending = recovered.state.pending {
            appProcesses.complete(pending.commit.erasers.filter { $0.value == .done }.keys, of: pending.ended)
        }
        try add(.recovery(outcome))
        report()
        try sessionTimer.resume(machine.state.heldEpoch, device.policy.timeouts)
        if let epoch = sessionTimer.epoch { try timerDue(in: epoch) }
        cleaner.emptyTrash()
        // Processes may have ended while no broker ran.
        try appProcessEnded()
    }

    // MARK: - Events

    /// Handles an event and all its steps. An event that arrives during the steps of another event waits.
    func handle(_ event: SessionMachine.Event) throws { try add(.event(event)) }

    private func add(_ work: Work) throws {
        try queue.add(work) { work in
            switch work {
            case .recovery(.started(let steps)): try perform(steps)
            case .recovery(.signingOut(let steps)): try perform(steps)
            case .event(let event):
                try follow(event)
                report()
                try sessionTimer.follow(machine.state.heldEpoch, device.policy.timeouts)
            }
        }
    }

    /// Whether this event may be the last before the agent takes data away. Looking for processes at each answer of fifty
    /// apps would take longer than the answers.
    private func mayConcludeApps(with event: SessionMachine.Event) -> Bool {
        switch event {
        case .appsOverdue, .erasersGone: true
        default: machine.state.pending.map { $0.isOverdue || $0.awaitedErasers.count <= 1 } ?? false
        }
    }

    private func follow(_ event: SessionMachine.Event) throws {
        let newID = Epoch.ID.random()
        machine.owingApps = Set(locks.apps).intersection(device.dataFolders.keys)
        machine.lingeringApps = mayConcludeApps(with: event) ? lingeringApps : []
        switch event {
        case .signInRequested(let requestID):
            switch machine.signInRequested(requestID, newID: newID) {
            case .admitted(let steps): try perform(steps)
            case .waiting: break
            case .refused(let refused): refuse(refused)
            }
        case .signInTimedOut(let requestID, let refusal): machine.signInTimedOut(requestID, refusal).map(refuse)
        case .browserWanted(let url):
            guard let epoch = machine.browserWanted() else { break }
            configureBrowser()
            try browser.open(epoch, .signIn(url))
            Failpoint.browserOrdered.reach()
        case .signInSucceeded: try perform(machine.signInSucceeded())
        case .signInFailed: try perform(machine.signInFailed(newID: newID))
        case .endWanted(let requester, let trigger):
            switch machine.endWanted(by: requester, trigger, newID: newID) {
            case .alreadyReady(let requesters): answer(requesters)
            case .announced(let epoch): try requestedEnd.announce(epoch, device.policy, then: sessionProcess.prepare)
            case .waiting: break
            case .committed(let steps): try perform(steps)
            }
        case .listenerArrived(let epoch): machine.listenerArrived(epoch)
        case .keeperArrived(let app, let epoch): try machine.keeperArrived(app, epoch).map(journal)
        case .eraserEnlisted(let eraser, let epoch): try machine.eraserEnlisted(eraser, epoch).map(journal)
        case .graceExpired(let epoch): try perform(machine.graceExpired(epoch, newID: newID))
        case .eraserAnswered(let eraser, let hasErased, let ended):
            guard let outcome = machine.eraserAnswered(eraser, hasErased: hasErased, of: ended, newID: newID) else {
                break
            }
            if outcome.commit.apps[eraser.bundleID] != .awaited {
                receipts.mark(ItemOutcome.app(eraser.bundleID, .done).name)
            }
            try journalEnd(outcome.commit)
            try perform(outcome.completion)
        case .erasersGone(let gone, let ended):
            try perform(machine.erasersGone(gone, of: ended, newID: newID))
        case .appsOverdue(let ended): try perform(machine.appsOverdue(ended, newID: newID))
        case .dataTaken(let apps, let failed, let ended):
            try perform(machine.dataTaken(apps, failed: failed, of: ended, newID: newID))
        case .itemCleared(let item, let ended):
            if machine.state.pending?.ended == ended { mark(item, of: ended) }
            try perform(machine.itemCleared(item, of: ended, newID: newID))
        case .sessionProcessDied:
            switch machine.sessionProcessDied(newID: newID) {
            case .restart(let epoch): if !sessionProcess.putsOff(epoch) { try startSessionProcess(epoch) }
            case .resume(let epoch): try startSessionProcess(epoch, resuming: true)
            case .committed(let steps): try perform(steps)
            }
        case .agentArrived: machine.agentArrived().map(closeBrowser)
        }
    }

    /// Reports the session's state to other parts of the process.
    func report() {
        reports.tell(watched)
        reports.tell(machine.state.stage)
    }

    /// The state that the device reports to its server.
    private var watched: WatchedSession {
        WatchedSession(
            join: join.record, epoch: machine.epoch,
            serverSession: journal.serverSessions.sessionID(in: machine.state.heldEpoch), receipt: receipts.sequence)
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
                try journal.write(.signingIn(epoch), isJoined: join.record != nil)
                try receipts.begin(epoch)
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
                receipts.mark(ItemOutcome.sessionKey.name, isObserved: key.destroy())
                Failpoint.keyDestroyed.reach()
            case .endSessionProcess: try endSessionProcessOfEnded()
            case .startSessionProcess(let epoch):
                try startSessionProcess(epoch)
                sessionProcess.forwardApps()
            case .closeBrowser(let epoch):
                closeBrowser(epoch)
                // The hello of the new process tells the apps of the end. They get it before this thread waits.
                sessionProcess.forwardApps()
            case .clearFiles(let epoch): try clearFiles(of: epoch)
            case .awaitApps(let ended):
                timer.post(.appsOverdue(ended), after: .milliseconds(device.policy.eraserPatience))
                watchProcesses()
                try noteGone()
            }
        }
    }

    private func perform(_ steps: [SessionMachine.CompletionStep]) throws {
        for step in steps {
            switch step {
            case .takeData(let apps, let ended): try takeData(of: apps, ended)
            case .lock(let erasers, let ended):
                try locks.lock(erasers, until: ended)
                sessionProcess.tell(.locks(locks.epochs))
            case .writeReceipt(let handover):
                try receipts.write(
                    handover, join: join.record,
                    saw: .init(
                        opened: browser.opened(in: handover.ended), files: browser.files(in: handover.ended),
                        search: browser.search(of: handover.ended)))
                reports.tell(watched)
                Failpoint.receiptWritten.reach()
            case .journal(let epoch): try journalReady(epoch)
            case .answer(let requesters): answer(requesters)
            case .admit(let steps): try perform(steps)
            }
        }
    }

    private func journalReady(_ epoch: Epoch) throws {
        try journal.write(.ready(epoch), isJoined: join.record != nil)
        try browser.forget()
        try appProcesses.cleared(except: locks.apps)
        try locks.forgetUnlocked()
        try askInPlaceOfEnded()
        tellAsked()
        keepersFolders = [:]
        cleaner.problem = nil
        Failpoint.readyJournaled.reach()
    }

    private func journal(_ session: SessionMachine.Enlistment) throws {
        try journal(session.record, of: session.epoch)
    }

    private func journal(_ record: JournalRecord, of epoch: Epoch) throws {
        try journal.write(record, isJoined: join.record != nil)
        key.keep(for: epoch)
        Failpoint.signedInJournaled.reach()
    }

    private func journalEnd(_ commit: Commit, after prepare: () throws -> Void = {}) throws {
        try prepare()
        try journal.write(.signingOut(commit), isJoined: join.record != nil)
        receipts.commit(commit.ended)
        Failpoint.endJournaled.reach()
    }

    private func mark(_ item: SessionMachine.Item, of ended: Epoch) {
        switch item {
        case .files: receipts.mark(ItemOutcome.files.name, isObserved: true)
        case .browser: receipts.mark(ItemOutcome.browser.name, isObserved: browser.hasSeenEnd(of: ended))
        }
    }

    /// Returns the epoch in whose browser a page may open now; nil if none may.
    func browserWanted() -> Epoch? { machine.browserWanted() }

    func closeBrowser(_ epoch: Epoch) {
        browser.close(epoch)
        Failpoint.browserClosing.reach()
    }

    func clearFiles(of ended: Epoch) throws {
        guard cleaner.clear(ended, after: { try journal.tombstones.end(ended) }) else { return }
        try handle(.itemCleared(.files, ended))
    }

    private func answer(_ waiting: [SessionMachine.Requester]) {
        requestedEnd.answer(waiting)
        Failpoint.answered.reach()
    }

    // MARK: - The session process

    func startSessionProcess(_ epoch: Epoch, resuming: Bool = false) throws {
        try endSessionProcess()
        requestedEnd.forgetApps()
        let first = SupervisorMessage.start(
            configuration: device.configuration, epoch: epoch, resuming: resuming, device: snapshot,
            tombstones: journal.tombstones.told, asked: questions, locks: locks.epochs)
        toldQuestions = questions
        try sessionProcess.start(first, key: resuming ? key.file : nil)
    }

    func endSessionProcess() throws {
        browser.dropRequests()
        try sessionProcess.end()
    }

    /// Ends the session process of an ended epoch, and waits for its exit.
    private func endSessionProcessOfEnded() throws {
        try endSessionProcess()
        try appProcesses.end()
        if join.order != nil { try join.adoptConfirmed() }
        join.fail(.joinInterrupted)
        let ended = machine.state.pending?.ended
        receipts.mark(ItemOutcome.sessionProcess.name, isObserved: ended.map { receipts.hasSeen($0) } ?? false)
        // The key and the process are gone, so there is time for the disk. The next process needs the tombstones.
        if let ended { try journal.tombstones.end(ended) }
        try receipts.keepDraft()
        Failpoint.receiptCommitKept.reach()
        Failpoint.processEnded.reach()
    }

    func sessionProcessDied() throws {
        try endSessionProcess()
        try join.adoptConfirmed()
        join.fail(.joinProcessDied)
        try handle(.sessionProcessDied)
    }

    private func admit(_ requestID: SessionMachine.SignInRequestID, _ epoch: Epoch) throws {
        switch (requestID.purpose, key.file, join.order) {
        case (.worker, let file?, _):
            sessionProcess.tell(.admit(requestID: requestID.number, epoch: epoch), descriptors: [file])
        case (.administrator, _, let order?): sessionProcess.tell(.join(order))
        case (.worker, nil, _), (.administrator, _, nil):
            // The session's key or the operator's order is gone, so this sign-in cannot continue.
            try handle(.signInFailed)
        }
    }

    private func refuse(_ refused: SessionMachine.RefusedSignIn) {
        switch refused.requestID.purpose {
        case .worker: sessionProcess.tell(.refuse(requestID: refused.requestID.number, refused.refusal))
        case .administrator: join.fail(refused.refusal.joinFailure)
        }
    }

    // MARK: - Sign-in and join

    func signInRequested(_ requestID: SessionMachine.SignInRequestID) throws {
        try handle(.signInRequested(requestID))
        browser.awaitAgentOfLastWorker(in: machine.state)
    }

    func signInFailed(_ failure: OperatorFailure) throws {
        join.fail(failure)
        try handle(.signInFailed)
    }

    /// Stores the join, and ends the administrator's session before the operator is answered.
    func joined(_ record: JoinRecord) throws {
        let answer = try join.complete(record)
        report()
        if let answer { try end(by: .operator) { _ in answer() } }
    }

    // MARK: - The end

    /// Ends the current session or sign-in, whether of a worker or of an administrator.
    func end(
        by trigger: SignOutTrigger, patience: Duration? = nil, answer: @escaping (SignOutOutcome) -> Void = { _ in }
    ) throws {
        let requester = requestedEnd.add(machine.state.heldEpoch, device.policy, patience: patience, answer: answer)
        try handle(.endWanted(requester, trigger))
    }

    /// Ends the worker's session of this epoch; does nothing if that epoch is already over.
    func end(_ epoch: Epoch, by trigger: SignOutTrigger) throws {
        if machine.state.heldEpoch == epoch { try end(by: trigger) }
    }

    /// Ends a worker's session if the device is no longer shared; otherwise applies the current timeouts.
    func endUnlessShared() throws {
        switch machine.state {
        case .signedIn, .ending: break
        case .signingIn(_, let requestID) where requestID.purpose == .worker: break
        case .signingIn, .ready, .signingOut: return
        }
        guard snapshot.mode == .shared else { return try end(by: .management) }
        guard let epoch = sessionTimer.epoch else { return }
        sessionTimer.follow(device.policy.timeouts)
        try timerDue(in: epoch)
    }

    // MARK: - Time

    /// Carries out what is due in the session of this epoch, and schedules the next check.
    func timerDue(in epoch: Epoch) throws {
        try look(at: epoch)
        sessionTimer.lookAgain(at: epoch)
    }

    private func look(at epoch: Epoch) throws {
        switch sessionTimer.due(in: epoch) {
        case .warning(let seconds): sessionProcess.tell(.idle(epoch: epoch, seconds: seconds))
        case .end(let trigger): try end(by: trigger)
        case nil: break
        }
    }

    /// Records that the worker did something in this epoch; nil means the current epoch.
    func activity(in epoch: Epoch? = nil) throws {
        guard let present = sessionTimer.epoch, epoch ?? present == present else { return }
        // After the machine slept, activity may arrive before the timers fire. A session that was due to end must still
        // end.
        try look(at: present)
        sessionTimer.noteActivity()
    }

    // MARK: - The device

    /// The device's state as the session process needs it now.
    var snapshot: DeviceSnapshot { device.snapshot(join: join.record, ended: journal.serverSessions.ended) }

    /// Reads the settings that were changed from outside, and sends them to the session process and the agent.
    func readDevice() {
        device.read()
        noteFolders()
        configureBrowser()
        sessionProcess.tell(device: snapshot)
    }

    /// Sends the agent the browser's settings, with the directory's address: also before a join, whose page must open.
    func configureBrowser() {
        browser.configure(device.management.settings.browser, loginURL: join.loginURL)
    }
}
