// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserPolicies
internal import DeviceEnrollment
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import UnixSocket

/// Runs on the supervisor's own thread: takes the inputs one after the other and passes each to the part that handles
/// it, usually the session's coordinator.
///
/// The supervisor never reads an app's frame, and holds only one secret of a worker: the memory file of the session's
/// key. If the supervisor cannot write to disk, it ends. The key and the session then end as well, and the next start
/// completes the sign-out from the journal.
final class Supervisor {
    private let inputs: Mailbox<SupervisorInput>
    private let timer: InputTimer
    private let logger: Logger
    private let device: ManagedDevice
    private let sessionProcess: SessionProcess
    private let session: SessionCoordinator
    private let operators: OperatorService
    private let limits: LimitLog
    private let registration: RegistrationStore
    private let askDirectory: @Sendable () -> Void
    private let departures: DepartureFlow
    private let status: StatusPublisher
    /// Answers the operators once the device's state is erased, after this supervisor has ended; nil if no part of this
    /// process does so.
    private let successor: DepartureAnswers?
    private var isStopping = false
    /// Whether the management server can be reached; nil if that is not known.
    private var isServerReachable: Bool?

    init(
        configuration: SupervisorConfiguration, device management: any DeviceManaged,
        inputs: Mailbox<SupervisorInput>, executable: String, listeners: AppListeners, logger: Logger,
        clock: SupervisorClock, platform: (any TrustedPlatform)?,
        watch: @escaping @Sendable (WatchedSession) -> Void, askDirectory: @escaping @Sendable () -> Void,
        inspect: @escaping @Sendable () async -> [CheckResult], farewell: Farewell, successor: DepartureAnswers?
    ) throws {
        (self.askDirectory, self.successor) = (askDirectory, successor)
        (self.inputs, self.logger, limits) = (inputs, logger, listeners.limits)
        timer = InputTimer(inputs: inputs, clock: clock)
        let files = DeviceFiles(root: Directory(path: configuration.directory), platform: platform)
        try files.prepare()
        let epochCount = try platform.map { [keys = files.keyStore] platform in
            EpochCount(in: keys, platform: platform, seal: try DeviceSeal(in: keys))
        }
        device = ManagedDevice(
            configuration: configuration, files: files, management: management, listeners: listeners, logger: logger)
        sessionProcess = SessionProcess(
            executable: executable, inputs: inputs, waiting: listeners.waiting, clock: clock, logger: logger)
        session = try SessionCoordinator(
            device: device, sessionProcess: sessionProcess, clock: clock, timer: timer, epochCount: epochCount,
            watch: watch, logger: logger)
        registration = RegistrationStore(files: files, logger: logger)
        status = StatusPublisher(examination: RegularExamination(timer: timer), logger: logger)
        departures = try DepartureFlow(session: session, farewell: farewell, inputs: inputs, logger: logger)
        operators = OperatorService(
            session: session, registration: registration, departures: departures, limits: listeners.limits,
            timer: timer, clock: clock, inspect: inspect)
    }

    /// Runs until it receives ``SupervisorInput/stop``, or until the device's state must be erased.
    ///
    /// - Parameter keptKeys: the session keys that the service manager kept.
    /// - Throws: an error that makes it impossible to continue: state that cannot be written, or a process that cannot
    ///   be started.
    func run(keptKeys: [Epoch: MemoryKey], whenServing: () throws -> Void) throws {
        defer { session.browser.confinement?.helper.stop() }
        try device.management.declare()
        try removeOldTombstones()
        try session.start(keptKeys)
        try whenServing()
        do {
            try goOnLeaving()
            while !isStopping {
                try take(inputs.take())
                status.publish { state }
                try goOnLeaving()
                restartIfDue()
            }
        } catch {
            // If the end of the session could not be written, the session must not continue, not even with a kept key.
            session.key.destroy()
            throw error
        }
        try session.endSessionProcess()
    }

    private var state: DeviceState {
        DeviceState(
            session, registration: registration.status(of: session.join.record), isServerReachable: isServerReachable,
            fault: status.examination?.fault)
    }

    /// Carries out the next step of a departure; after the last step this supervisor ends.
    private func goOnLeaving() throws {
        guard !isStopping, try departures.goOn() else { return }
        departures.handover(to: successor)
        isStopping = true
    }

    /// Ends this supervisor if a restart is due; the service manager then starts the installed program. A device that
    /// leaves its directory restarts in any case.
    private func restartIfDue() {
        guard !isStopping, departures.departure == nil, operators.restart.isDue(in: session.machine.state) else {
            return
        }
        logger.notice("the broker ends, so that the installed version starts")
        isStopping = true
    }

    private func take(_ input: SupervisorInput) throws {
        switch input {
        case .appsWaiting: sessionProcess.forwardNextApp()
        case .agentConnected(let link): try agentConnected(link)
        case .agentSaid(let id, let message): if id == session.browser.agent?.id { try agentSaid(message) }
        case .agentLost(let id):
            if id == session.browser.agent?.id { session.browser.lost(in: session.machine.state) }
            device.browserOrigin.follow(session.browser.agent)
        case .operatorAsked(let request, let connection, let answer):
            try operators.take(request, from: connection, answer: answer)
        case .operatorGone(let connection): try operators.gone(connection)
        case .sessionProcessSent(let message, let descriptors, let number):
            if sessionProcess.isNow(number) {
                try sessionProcessSent(message, descriptors)
            } else {
                try sessionProcessSentTooLate(message)
            }
        case .sessionProcessEnded(let number): if sessionProcess.isNow(number) { try session.sessionProcessDied() }
        case .deviceChanged:
            session.readDevice()
            try session.endUnlessShared()
        case .statusReader(let descriptor, let user): status.add(descriptor, of: user, state)
        case .helperAnswered(let answer):
            if case .cleared(let ended) = session.browser.answered(answer, in: session.machine.state) {
                try session.handle(.itemCleared(.browser, ended))
            }
        case .retrySignOut(let ended): try session.clearFiles(of: ended)
        case .retryBrowser(let ended):
            if session.machine.state.pending?.ended == ended { session.closeBrowser(ended) }
        case .browserUnexamined(let ended):
            if session.machine.state.pending?.ended == ended { session.browser.unexamined(ended) }
        case .overdue(let requester): session.requestedEnd.overdue(requester)
        case .agentOverdue(let wait): try agentOverdue(wait)
        case .pageOverdue(let id): session.browser.pageOverdue(id)
        case .sessionProcessDue(let start):
            if let epoch = sessionProcess.epochDue(at: start) { try session.startSessionProcess(epoch) }
        case .removeTombstones: try removeOldTombstones()
        case .emptyTrash: session.cleaner.emptyTrash()
        case .serverEnded(let epoch, let trigger): try session.end(epoch, by: trigger)
        case .graceExpired(let epoch):
            if session.requestedEnd.graceExpired(epoch) { try session.handle(.graceExpired(epoch)) }
        case .unsavedWorkOverdue(let epoch): try session.handle(.graceExpired(epoch))
        case .serverReachable(let isReachable): isServerReachable = isReachable
        case .appProcessEnded: try session.appProcessEnded()
        case .appsOverdue(let ended): try session.handle(.appsOverdue(ended))
        case .dataOverdue(let ended): try session.dataOverdue(ended)
        case .sessionTimerDue(let epoch): try session.timerDue(in: epoch)
        case .departureTold(let isDirectoryTold): departures.told(isDirectoryTold: isDirectoryTold)
        case .registrationReceived(let status): registration.receive(status)
        case .leasesInQuestion: sessionProcess.tell(.leasesInQuestion)
        case .examinationDue: status.examination?.start { operators.examination }
        case .examined(let fault): status.examination?.end(fault: fault)
        case .metricsWanted(let answer): answer(.metrics(operators.metrics))
        case .restartWanted:
            operators.restart.ask(timer)
            logger.notice("a restart was asked for, and takes place when nobody is signed in")
        case .restartOverdue: operators.restart.overdue()
        case .stop: isStopping = true
        }
    }

    /// Removes old tombstones, and schedules the next removal in an hour.
    private func removeOldTombstones() throws {
        if try session.journal.tombstones.forgetOld() {
            sessionProcess.tell(.tombstones(session.journal.tombstones.told))
        }
        timer.post(.removeTombstones, after: .seconds(60 * 60))
    }

    // MARK: - The agent

    private func agentConnected(_ link: AgentLink) throws {
        defer { device.browserOrigin.follow(session.browser.agent) }
        guard session.browser.connected(link, in: session.machine.state) else { return }
        // Do this before a page opens, so that programs that the browser starts are recognised as the browser's.
        device.browserOrigin.follow(link)
        session.configureBrowser()
        try session.handle(.agentArrived)
        session.orderData()
        if let page = session.browser.takePage() { try session.handle(.browserWanted(url: page)) }
    }

    private func agentSaid(_ message: AgentMessage) throws {
        switch session.browser.said(message, in: session.machine.state) {
        case .activity: try session.activity()
        case .cleared(let ended): try session.handle(.itemCleared(.browser, ended))
        case .dataTaken(let ended, let failures): try session.dataTaken(of: ended, failures)
        case nil: break
        }
    }

    private func agentOverdue(_ wait: UInt64) throws {
        guard session.browser.overdue(wait), let requestID = session.machine.state.pending?.waiting else { return }
        try session.handle(.signInTimedOut(requestID, .agentMissing))
    }

    // MARK: - The session process

    private func sessionProcessSent(_ message: SessionProcessMessage, _ descriptors: [Descriptor]) throws {
        switch message {
        case .deviceKnown(let change): sessionProcess.changes.known(change)
        case .signInRequested(let requestID):
            try session.signInRequested(.init(number: requestID, purpose: .worker))
        case .browserWanted(let url):
            if session.browser.agent == nil {
                session.browser.keepPage(url)
            } else {
                try session.handle(.browserWanted(url: url))
            }
        case .pageOver: session.browser.endSignIn(in: session.machine.state)
        case .sessionKnown(let known):
            try session.journal.serverSessions.keep(live: known)
            // If the worker signed in offline, the live session gets its server id only now.
            session.report()
        case .signedInOffline(let subject): try session.receipts.receive(offline: subject)
        case .leaseEnds(let end, let epoch): session.sessionTimer.offlineEnd = end.map { ($0, epoch) }
        case .leaseOver(let epoch): try session.end(epoch, by: .offlineLease)
        case .pinSettled(let failure): sessionProcess.pin.settle(failure)
        case .leasesCounted(let count): note(count)
        case .receiptSubject(let subject): try session.receipts.receive(subject: subject)
        case .tokenWanted(let time):
            try session.receipts.receive(tokenUntil: time)
            sessionProcess.tell(.tokenNoted(until: time))
        case .signInSucceeded:
            try session.endUnlessShared()
            try session.handle(.signInSucceeded)
        case .signInFailed(let failure): try session.signInFailed(failure)
        case .storeTombstones(let reader, let told): try store(told, of: reader)
        case .endWanted(let requestID, let fromBrowser, let correlationID, let inBrowser):
            try session.journal.noteEnd(fromBrowser: fromBrowser, correlationID: correlationID)
            if let app = descriptors.first { try signOut(app, requestID: requestID, inBrowser: inBrowser) }
        case .joined(let record): try session.joined(record)
        case .listenerArrived(let epoch): try session.handle(.listenerArrived(epoch))
        case .appsReady(let epoch): try session.handle(.graceExpired(epoch))
        case .unsavedWork(let apps, let epoch):
            if session.requestedEnd.report(unsaved: apps, in: epoch) { try session.handle(.graceExpired(epoch)) }
        case .keeperArrived(let app, let process, let epoch, let requestID):
            let accepted = try session.note(app, process, in: epoch)
            sessionProcess.tell(.appSettled(requestID: requestID, accepted: accepted))
        case .eraserEnlisted(let eraser, let process, let epoch, let requestID):
            sessionProcess.tell(try session.enlist(eraser, process, in: epoch).answer(to: requestID))
        case .eraserAnswered(let eraser, let process, let ended, let result, let requestID):
            let accepted = try session.answered(eraser, process, hasErased: result == .done, of: ended)
            sessionProcess.tell(.appSettled(requestID: requestID, accepted: accepted))
        case .pageWanted(let address, let epoch, let requestID):
            try open(address, in: epoch, for: requestID)
        case .activity(let epoch): try session.activity(in: epoch)
        case .serverSessionEnded(let ended): try session.journal.serverSessions.notified(of: ended)
        case .refused(let record, let before): operators.note(record, before: before)
        case .counted(let counts): session.journal.counter.add(counts, isPresent: true)
        case .limitReached(let report): limits.note(report)
        case .deviceRefused: askDirectory()
        // Already handled by the reader thread.
        case .connectionTaken: break
        }
    }

    /// Handles a late message from a process that has been killed. If the server has opened a session, the end of that
    /// session must be reported.
    private func sessionProcessSentTooLate(_ message: SessionProcessMessage) throws {
        if case .keeperArrived(let app, let process, _, _) = message {
            try session.appProcesses.noteLate(process, of: app)
        }
        if case .counted(let counts) = message { session.journal.counter.add(counts, isPresent: false) }
        guard case .sessionKnown(let known) = message, !session.journal.serverSessions.ended.contains(known) else {
            return
        }
        try session.journal.serverSessions.keep(end: known)
        sessionProcess.tell(device: session.snapshot)
    }

    /// Opens a page in the signed-in worker's browser; a nil `page` means the home page.
    private func open(_ page: WebAddress?, in epoch: Epoch, for requestID: UInt64) throws {
        guard session.machine.state.isSignedIn(in: epoch) else {
            return sessionProcess.tell(.pageSettled(requestID: requestID, .nobodySignedIn))
        }
        // Without an agent no browser opens, and none has to be cleared at the end.
        if session.browser.agent != nil { _ = session.browserWanted() }
        try session.browser.open(page, in: epoch, for: requestID)
        Failpoint.browserOrdered.reach()
    }

    private func note(_ count: LeaseCount) {
        guard count != sessionProcess.leases else { return }
        sessionProcess.leases = count
        logger.info(
            "leases for signing in without the server",
            metadata: ["leases": "\(count.leases)", "leases.pins": "\(count.pins)"])
    }

    /// Stores the accounts that a reader is about to be told about. Does nothing for an app that is not registered on
    /// the device.
    private func store(_ told: [AccountTombstone], of reader: AccountReader) throws {
        if session.snapshot.apps.contains(where: { $0.clientID == reader.clientID }) {
            try session.journal.tombstones.set(told, of: reader, live: session.machine.epoch)
        }
        sessionProcess.tell(.tombstonesStored(reader))
    }

    /// Ends the session at an app's request. The app is answered on its own connection.
    private func signOut(_ app: Descriptor, requestID: String, inBrowser: Bool) throws {
        let caller = SignOutCaller(
            requestID: requestID, inBrowser: inBrowser, connection: Connection(app, maximumFrame: Wire.maximumFrame),
            info: try? session.snapshot.info(), logger: logger)
        try session.end(by: .app, patience: SignOutCaller.patience, answer: caller.answer)
    }
}
