// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Dispatch
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import UnixSocket

/// The supervisor's own thread: takes one input after the other, asks the ``SessionMachine``, carries out its actions.
///
/// It never reads an app's frame and holds no worker's secret but the session key's memory file. What it cannot write
/// down ends it, and with it the key and the session: the next start finds the journal and finishes.
final class Supervisor {
    let configuration: SupervisorConfiguration
    let files: DeviceFiles
    let device: any DeviceManaged
    let inputs: Mailbox<SupervisorInput>
    let logger: Logger
    let clock: SupervisorClock
    /// Where apps come in, each told from the others by what the registry says.
    let listeners: AppListeners

    var machine: SessionMachine
    let work = EventQueue<Work>()
    var tombstones: TombstoneStore
    var serverSessions: ServerSessions
    var join: JoinRecord?
    /// The apps, or why they are not known.
    var registry: Result<AppRegistry, RegistryFailure> = .success(.none)
    /// What apps were refused of late; in memory alone.
    var refusals = RefusalRing()
    /// What others of this process know for `baton doctor`.
    let inspect: @Sendable () async -> [CheckResult]
    /// The apps that have not erased what is of an ended epoch, and which.
    var locks: [String: Epoch]
    /// The stay of the worker who is here.
    var sessionTimer: (epoch: Epoch, clock: SessionTimer)?
    /// What is on disk of it.
    var timerRecord: SessionTimerRecord?
    /// When a session ends by itself, and why the MDM's policy is not in force.
    var sessionPolicy: SessionPolicy
    var sessionPolicyError: SessionPolicyError?
    /// Whether an agent has told of the person's input since this began.
    var hearsInput = false
    /// What cannot be cleared at the moment, and why.
    var problems: [SessionMachine.Item: String] = [:]

    let sessionProcess: SessionProcess
    var key: MemoryKey?
    /// The epoch whose key the service manager keeps, too.
    var keptKey: Epoch?
    private let keptKeys: [Epoch: MemoryKey]
    var agent: AgentLink?
    /// The page that will be opened when an agent has come.
    var waitingPage: String?
    /// The wait for an agent that is on, and how many there were.
    var agentWait: UInt64?
    var agentWaits: UInt64 = 0
    /// Whose agent opened a browser, and in which epoch; on disk before the browser opens.
    var browserHolder: BrowserHolder?
    /// What is seen here of the browser, beside the agent's word.
    var browserObservation: BrowserObservation?
    /// When the agent was told to end the browser; nil where it has answered.
    var closeOrdered: ContinuousClock.Instant?
    /// The agent that was refused last, and when.
    var refusedAgent: (user: UInt32, text: String, at: ContinuousClock.Instant)?
    var requesters: [SessionMachine.Requester: (SignOutOutcome) -> Void] = [:]
    var requesterNumber: UInt64 = 0
    /// How often the device has changed, and the operators who wait until one is known where apps are served.
    var deviceChange: UInt64 = 0
    var reloads: [(change: UInt64, answer: @Sendable () -> Void)] = []
    /// The operator who waits for a join.
    var joining: (order: JoinOrder, answer: @Sendable (OperatorReply) -> Void)?
    /// Who waits for the worker to set a PIN.
    var settingPIN: (@Sendable (OperatorReply) -> Void)?
    /// What the session process found of offline leases; nil before it looked.
    var leaseCount: LeaseCount?
    /// What management was told last.
    private var stage: SessionStage?
    private let watch: @Sendable (WatchedSession) -> Void
    /// What it was told last.
    private var watched: WatchedSession?
    var stopping = false
    private let trashQueue = DispatchQueue(label: "baton.trash")
    let receipts: ReceiptWriter
    /// What knows an older copy of the state, where the device has a TPM.
    let epochCount: EpochCount?

    init(
        configuration: SupervisorConfiguration, device: any DeviceManaged, inputs: Mailbox<SupervisorInput>,
        executable: String, listeners: AppListeners, keptKeys: [Epoch: MemoryKey], logger: Logger,
        clock: SupervisorClock, platform: (any TrustedPlatform)?,
        watch: @escaping @Sendable (WatchedSession) -> Void, inspect: @escaping @Sendable () async -> [CheckResult]
    ) throws {
        self.configuration = configuration
        self.device = device
        self.inputs = inputs
        self.listeners = listeners
        self.keptKeys = keptKeys
        self.logger = logger
        self.clock = clock
        self.watch = watch
        self.inspect = inspect
        files = DeviceFiles(root: Directory(path: configuration.directory), platform: platform)
        try files.prepare()
        epochCount = try platform.map { [keys = files.keyStore] platform in
            EpochCount(in: keys, platform: platform, seal: try DeviceSeal(in: keys))
        }
        receipts = ReceiptWriter(files: files, clock: clock, logger: logger)
        join = try files.join()
        tombstones = try TombstoneStore(files: files, now: clock.now)
        serverSessions = try ServerSessions(files: files, logger: logger)
        sessionProcess = SessionProcess(
            executable: executable, inputs: inputs, waiting: listeners.waiting, clock: clock, logger: logger)
        browserHolder = try files.browserHolder()
        locks = try files.locks()
        sessionPolicy = configuration.sessionPolicy
        machine = SessionMachine(state: .ready, epoch: Epoch(id: .random(), counter: 0))
    }

    /// Runs until told to stop.
    ///
    /// - Throws: what makes it impossible to go on: state that cannot be written, a process that cannot be started.
    func run(whenServing: () throws -> Void) throws {
        try device.declare()
        try adoptConfirmedJoin()
        try removeOldTombstones()
        readRegistry()
        readSessionPolicy()
        let record = try files.journal()
        try receipts.open()
        let keyKept = adoptKey(keptKeys, for: record)
        let (recovered, outcome) = SessionMachine.recover(from: record, keyKept: keyKept, newID: .random())
        machine = recovered
        try add(.recovery(outcome))
        tellStage()
        try resumeSessionTimer()
        emptyTrash()
        try whenServing()
        do {
            while !stopping { try take(inputs.take()) }
        } catch {
            // Nobody goes on in a session whose end could not be written down, not even by a key that was kept.
            destroyKey()
            throw error
        }
        try endSessionProcess()
    }

    private func take(_ input: SupervisorInput) throws {
        switch input {
        case .appsWaiting: forwardNextApp()
        case .agentConnected(let link): try agentConnected(link)
        case .agentSaid(let id, let message): if id == agent?.id { try agentSaid(message) }
        case .agentLost(let id): if id == agent?.id { agentLost() }
        case .operatorAsked(let request, let answer): try operatorAsked(request, answer: answer)
        case .sessionProcessSent(let message, let descriptors, let number):
            if sessionProcess.isNow(number) {
                try sessionProcessSent(message, descriptors)
            } else {
                try heardTooLate(message)
            }
        case .sessionProcessEnded(let number): if sessionProcess.isNow(number) { try sessionProcessEnded() }
        case .deviceChanged: try deviceChanged()
        case .retrySignOut(let ended): try clearFiles(of: ended)
        case .retryBrowser(let ended): closeBrowserAgain(ended)
        case .overdue(let requester): overdue(requester)
        case .agentOverdue(let wait): if wait == agentWait { try agentOverdue() }
        case .sessionProcessDue(let start): try startDueSessionProcess(start)
        case .removeTombstones: try removeOldTombstones()
        case .emptyTrash: emptyTrash()
        case .serverEnded(let epoch, let trigger): try serverEnded(epoch, trigger)
        case .graceExpired(let epoch): try handle(.graceExpired(epoch))
        case .appsOverdue(let ended): try handle(.appsOverdue(ended))
        case .sessionTimerDue(let epoch): try sessionTimerDue(in: epoch)
        case .leasesInQuestion: tell(.leasesInQuestion)
        case .stop: stopping = true
        }
    }

    /// Tells this thread something after a while.
    func post(_ input: SupervisorInput, after delay: Duration) {
        let inputs = inputs
        clock.after(delay) { inputs.post(input) }
    }

    /// Management hears of every stage, each once.
    func tellStage() {
        tellWatch()
        let present = machine.state.stage
        guard present != stage else { return }
        stage = present
        device.session(is: present)
    }

    /// Whoever speaks with the server hears what the device states there, each time that it changes.
    func tellWatch() {
        let present = WatchedSession(
            join: join, epoch: machine.epoch, serverSession: serverSessions.number(in: machine.state.heldEpoch),
            receipt: receipts.sequence)
        guard present != watched else { return }
        watched = present
        watch(present)
    }

    /// The server has said that the session of that epoch, or its device, is no longer good: the worker is signed out as
    /// by every other trigger. An epoch that is over already needs nothing.
    func serverEnded(_ epoch: Epoch, _ trigger: SignOutTrigger) throws {
        guard machine.state.heldEpoch == epoch else { return }
        try handle(.endWanted(newRequester { _ in }, trigger))
    }
}

// MARK: - Files

extension Supervisor {
    func journal(_ record: JournalRecord) throws {
        if case .signingOut(let commit) = record {
            try serverSessions.end(commit.ended, isJoined: join != nil)
            Failpoint.endRemembered.reach()
        }
        try files.write(record)
        if case .signingOut(let commit) = record { try tombstones.end(commit.ended) }
        if case .signedIn(let epoch, _) = record, keptKey != epoch { keepKey(of: epoch) }
        if case .ready = record {
            try forgetBrowserHolder()
            problems = [:]
        }
        var metadata: Logger.Metadata = ["session.state": "\(record.stateName)"]
        if case .signingOut(let commit) = record, let trigger = commit.trigger {
            metadata["session.trigger"] = "\(trigger.rawValue)"
        }
        logger.info("session state changed", metadata: metadata)
    }

    func clearFiles(of ended: Epoch) throws {
        do {
            try tombstones.end(ended)
            try files.clearSession(of: ended)
            Failpoint.filesCleared.reach()
        } catch {
            logger.error("clearing failed, trying again", metadata: ["error": "\(error)"])
            problems[.files] = Self.filesProblem
            post(.retrySignOut(ended), after: .seconds(1))
            return
        }
        problems[.files] = nil
        emptyTrash()
        try handle(.itemCleared(.files, ended))
    }

    private static let filesProblem =
        "The last session's files cannot be moved away. Look at the disk of the broker's directory; it is tried again each second."

    /// Forgets whom readers saw long ago, and looks again in an hour.
    private func removeOldTombstones() throws {
        if try tombstones.forgetOld() { tell(.tombstones(tombstones.told)) }
        post(.removeTombstones, after: .seconds(60 * 60))
    }

    private func emptyTrash() {
        let (files, logger, inputs, clock) = (files, logger, inputs, clock)
        // One at a time: two that unlink the same tree would trip over each other.
        trashQueue.async {
            do { try files.emptyTrash() } catch {
                logger.error("emptying the trash failed, trying again", metadata: ["error": "\(error)"])
                clock.after(.seconds(60)) { inputs.post(.emptyTrash) }
            }
        }
    }
}
