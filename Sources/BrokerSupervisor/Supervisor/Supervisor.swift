// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserPolicies
internal import DeviceKeyStore
internal import DeviceSettings
internal import Files
internal import Glibc
internal import Logging
internal import MDMClient
internal import Processes
internal import SessionIPC
internal import UnixSocket

/// Owns the supervisor's own thread: it takes the inputs one after the other and passes each to the part that handles
/// it.
///
/// The supervisor never reads an app's frame, and holds only one secret of a worker: the memory file of the session's
/// key. If the supervisor cannot write to disk, it ends. The key and the session then end as well, and the next start
/// completes the sign-out from the journal.
final class Supervisor {
    private let inputs: Mailbox<SupervisorInput>
    private let timer: InputTimer
    private let logger: Logger
    private let session: SessionCoordinator
    private let rules: SessionRules
    private let sessionProcess: SessionProcess
    private let starter: SessionProcessStarter
    private let sessionProcessMessages: SessionProcessMessages
    private let agentMessages: AgentMessages
    private let browser: BrowserSupervision
    private let helper: HelperClient?
    private let pages: PageRequests
    private let erasers: AppErasers
    private let removal: AppDataRemoval
    private let key: LiveSessionKey
    private let tombstones: TombstoneStore
    private let cleaner: SessionCleaner
    private let requestedEnd: RequestedEnd
    private let management: any MDMClientInterface
    private let registration: RegistrationStore
    private let departures: DepartureFlow
    private let operators: OperatorService
    private let restart: PendingRestart
    private let reports: StateReports
    private let doctor: Doctor
    private let examination: RegularExamination
    private let publisher: StatusPublisher
    /// Answers the operators once the device's state is erased, after this supervisor has ended; nil if no part of this
    /// process does so.
    private let successor: DepartureAnswers?
    private var isStopping = false
    /// Whether the management server can be reached; nil if that is not known.
    private var isServerReachable: Bool?

    /// Creates the parts, and passes to each the parts that it uses.
    init(
        configuration: SupervisorConfiguration, device management: any MDMClientInterface,
        inputs: Mailbox<SupervisorInput>, executable: String, listeners: AppListeners, logger: Logger,
        clock: SupervisorClock, platform: (any TrustedPlatform)?,
        watch: @escaping @Sendable (WatchedSession) -> Void, askDirectory: @escaping @Sendable () -> Void,
        inspect: @escaping @Sendable () async -> [CheckResult], farewell: Farewell, successor: DepartureAnswers?
    ) throws {
        (self.inputs, self.logger, self.management, self.successor) = (inputs, logger, management, successor)
        timer = InputTimer(inputs: inputs, clock: clock)
        let files = DeviceFiles(root: Directory(path: configuration.directory), platform: platform)
        try files.prepare()
        let epochCount = try platform.map { [keys = files.keyStore] platform in
            EpochCount(in: keys, platform: platform, seal: try DeviceSeal(in: keys))
        }
        // The session process, and the parts that keep the device's state.
        sessionProcess = SessionProcess(
            executable: executable, inputs: inputs, waiting: listeners.waiting, clock: clock, logger: logger)
        let join = try JoinFlow(files: files, logger: logger)
        let counter = DeviceCounter(clock: clock)
        tombstones = try TombstoneStore(files: files, now: clock.now)
        let serverSessions = try ServerSessions(files: files, logger: logger)
        let device = ConfiguredDevice(
            configuration: configuration, files: files, management: management, join: join,
            serverSessions: serverSessions, listeners: listeners, logger: logger)
        let journal = SessionJournal(
            files: files, join: join, serverSessions: serverSessions, counter: counter, logger: logger)
        let facts = ReceiptFacts(files: files, clock: clock)
        let receipts = ReceiptWriter(
            files: files, period: .seconds(configuration.receiptDays * 86_400), facts: facts, join: join,
            epochCount: epochCount, clock: clock, logger: logger)
        registration = RegistrationStore(files: files, logger: logger)
        // The agent with its browser.
        let agent = ConnectedAgent(device: device, join: join, clock: clock, logger: logger)
        let wait = AgentWait(agent: agent, sessionProcess: sessionProcess, timer: timer)
        pages = PageRequests(sessionProcess: sessionProcess, timer: timer)
        helper = try configuration.helper.map { try HelperClient(socket: $0, logger: logger) }
        browser = try BrowserSupervision(
            files: files, helper: helper, agent: agent, pages: pages, sessionProcess: sessionProcess, clock: clock,
            timer: timer, logger: logger)
        // The apps' data.
        let locks = try AppLocks(files: files, logger: logger)
        let processes = try AppProcesses(files: files, inputs: inputs, logger: logger)
        let questions = ErasureQuestions(locks: locks, processes: processes, sessionProcess: sessionProcess)
        removal = AppDataRemoval(
            device: device, locks: locks, processes: processes, questions: questions, facts: facts, agent: agent,
            sessionProcess: sessionProcess, clock: clock, timer: timer, logger: logger)
        // The session.
        cleaner = SessionCleaner(files: files, tombstones: tombstones, timer: timer, logger: logger)
        requestedEnd = RequestedEnd(clock: clock, timer: timer) { [sessionProcess] in sessionProcess.tell($0) }
        key = LiveSessionKey(logger: logger)
        let sessionTimer = PersistedSessionTimer(files: files, clock: clock, inputs: timer, logger: logger)
        let pin = PINRequest()
        let leases = OfflineLeaseCount(logger: logger)
        let updates = DeviceUpdates(device: device, sessionProcess: sessionProcess)
        starter = SessionProcessStarter(
            device: device, sessionProcess: sessionProcess,
            requests: SessionProcessRequests(wait: wait, pages: pages, pin: pin, leases: leases, updates: updates),
            key: key, tombstones: tombstones, locks: locks, questions: questions, requestedEnd: requestedEnd,
            timer: timer, logger: logger)
        session = SessionCoordinator(
            device: device, join: join, journal: journal, tombstones: tombstones, receipts: receipts, facts: facts,
            key: key, sessionProcess: sessionProcess, starter: starter, wait: wait, browser: browser,
            cleaner: cleaner, processes: processes, removal: removal, requestedEnd: requestedEnd,
            sessionTimer: sessionTimer,
            reports: SessionReports(
                device: management, join: join, serverSessions: serverSessions, receipts: receipts, watch: watch),
            timer: timer)
        rules = SessionRules(
            session: session, device: device, sessionTimer: sessionTimer, removal: removal, agent: agent,
            updates: updates, sessionProcess: sessionProcess)
        erasers = AppErasers(
            session: session, locks: locks, processes: processes, questions: questions, removal: removal,
            sessionProcess: sessionProcess, logger: logger)
        // The parts that answer requests from others, or report to others.
        restart = PendingRestart()
        examination = RegularExamination(timer: timer)
        publisher = StatusPublisher(examination: examination, logger: logger)
        reports = StateReports(
            session: session, device: device, join: join, registration: registration, locks: locks, agent: agent,
            browser: browser, cleaner: cleaner, leases: leases, sessionTimer: sessionTimer,
            requestedEnd: requestedEnd, receipts: receipts, counter: counter, sessionProcess: sessionProcess,
            files: files, limits: listeners.limits)
        doctor = Doctor(
            device: device, configuration: configuration, files: files, join: join, agent: agent, locks: locks,
            processes: processes, removal: removal, serverSessions: serverSessions, leases: leases, restart: restart,
            reports: reports, helper: helper, clock: clock, inspect: inspect)
        departures = try DepartureFlow(
            session: session, files: files, join: join, management: management, farewell: farewell, inputs: inputs,
            logger: logger)
        operators = OperatorService(
            session: session, rules: rules, erasers: erasers, device: device, join: join, registration: registration,
            departures: departures, serverSessions: serverSessions, sessionProcess: sessionProcess, pin: pin,
            updates: updates, reports: reports, doctor: doctor, inputs: inputs)
        // Messages.
        sessionProcessMessages = SessionProcessMessages(
            session: session, rules: rules, erasers: erasers, processes: processes, agent: agent, wait: wait,
            browser: browser, device: device, join: join, serverSessions: serverSessions, tombstones: tombstones,
            facts: facts, requestedEnd: requestedEnd, sessionTimer: sessionTimer, sessionProcess: sessionProcess,
            leases: leases, pin: pin, updates: updates, counter: counter, doctor: doctor, limits: listeners.limits,
            askDirectory: askDirectory, logger: logger)
        agentMessages = AgentMessages(
            session: session, rules: rules, agent: agent, wait: wait, pages: pages, browser: browser,
            removal: removal, sessionProcess: sessionProcess, origin: listeners.browserOrigin, logger: logger)
    }

    /// Runs until it receives ``SupervisorInput/stop``, or until the device's state must be erased.
    ///
    /// - Parameter keptKeys: the session keys that the service manager kept.
    /// - Throws: an error that makes it impossible to continue: state that cannot be written, or a process that cannot
    ///   be started.
    func run(keptKeys: [Epoch: MemoryKey], whenServing: () throws -> Void) throws {
        defer { helper?.stop() }
        try management.declare()
        try removeOldTombstones()
        try session.start(keptKeys)
        try rules.resume()
        cleaner.emptyTrash()
        // Processes may have ended while no broker ran.
        try erasers.appProcessEnded()
        try whenServing()
        do {
            try goOnLeaving()
            while !isStopping {
                try take(inputs.take())
                publisher.publish { state }
                try goOnLeaving()
                restartIfDue()
            }
        } catch {
            // If the end of the session could not be written, the session must not continue, not even with a kept key.
            key.destroy()
            throw error
        }
        try starter.end()
    }

    private var state: DeviceState {
        reports.state(isServerReachable: isServerReachable, fault: examination.fault)
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
        guard !isStopping, departures.departure == nil, restart.isDue(in: session.state) else {
            return
        }
        logger.notice("the broker ends, so that the installed version starts")
        isStopping = true
    }

    private func take(_ input: SupervisorInput) throws {
        switch input {
        case .appsWaiting: sessionProcess.forwardNextApp()
        case .agentConnected(let link): try agentMessages.connected(link)
        case .agentSaid(let id, let message): try agentMessages.take(message, from: id)
        case .agentLost(let id): agentMessages.lost(id)
        case .operatorAsked(let request, let connection, let answer):
            try operators.take(request, from: connection, answer: answer)
        case .operatorGone(let connection): try operators.gone(connection)
        case .sessionProcessSent(let message, let descriptors, let number):
            if sessionProcess.isNow(number) {
                try sessionProcessMessages.take(message, descriptors)
            } else {
                try sessionProcessMessages.takeLate(message)
            }
        case .sessionProcessEnded(let number): if sessionProcess.isNow(number) { try session.sessionProcessDied() }
        case .deviceChanged:
            try rules.readDevice()
            try rules.endUnlessShared()
        case .statusReader(let descriptor, let user): publisher.add(descriptor, of: user, state)
        case .helperAnswered(let answer):
            if let ended = browser.answered(answer, in: session.state) {
                try session.itemCleared(.browser, of: ended)
            }
        case .retrySignOut(let ended): try session.clearFiles(of: ended)
        case .retryBrowser(let ended): if session.state.pending?.ended == ended { session.closeBrowser(ended) }
        case .browserUnexamined(let ended): if session.state.pending?.ended == ended { browser.unexamined(ended) }
        case .overdue(let requester): requestedEnd.overdue(requester)
        case .agentOverdue(let wait): try agentMessages.overdue(wait)
        case .pageOverdue(let id): pages.overdue(id)
        case .sessionProcessDue(let start):
            if let epoch = starter.epochDue(at: start) { try starter.start(epoch, during: session.state.pending) }
        case .removeTombstones: try removeOldTombstones()
        case .emptyTrash: cleaner.emptyTrash()
        case .serverEnded(let epoch, let trigger): try session.end(epoch, by: trigger)
        case .graceExpired(let epoch): if requestedEnd.graceExpired(epoch) { try session.waitOver(in: epoch) }
        case .unsavedWorkOverdue(let epoch): try session.waitOver(in: epoch)
        case .serverReachable(let isReachable): isServerReachable = isReachable
        case .appProcessEnded: try erasers.appProcessEnded()
        case .appsOverdue(let ended): try session.appsOverdue(ended)
        case .dataOverdue(let ended):
            if let outcome = try removal.overdue(ended, in: session.state) {
                try session.dataTaken(outcome, of: ended)
            }
        case .sessionTimerDue(let epoch): try rules.timerDue(in: epoch)
        case .departureTold(let isDirectoryTold): departures.told(isDirectoryTold: isDirectoryTold)
        case .registrationReceived(let status): registration.receive(status)
        case .leasesInQuestion: sessionProcess.tell(.leasesInQuestion)
        case .examinationDue: examination.start { doctor.examination }
        case .examined(let fault): examination.end(fault: fault)
        case .metricsWanted(let answer): answer(.metrics(reports.metrics))
        case .restartWanted:
            restart.ask(timer)
            logger.notice("a restart was asked for, and takes place when nobody is signed in")
        case .restartOverdue: restart.overdue()
        case .stop: isStopping = true
        }
    }

    /// Removes old tombstones, and schedules the next removal in an hour.
    private func removeOldTombstones() throws {
        if try tombstones.forgetOld() {
            sessionProcess.tell(.tombstones(tombstones.told))
        }
        timer.post(.removeTombstones, after: .seconds(60 * 60))
    }
}
