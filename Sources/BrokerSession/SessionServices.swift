// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceKeyStore
internal import DeviceSettings
internal import Logging
internal import Processes
internal import SessionIPC
internal import UnixSocket

/// The services of a session process for one epoch, and the dispatch of the supervisor's messages to them.
///
/// The services answer from memory; the supervisor writes to disk what must outlive the process.
struct SessionServices: Sendable {
    /// The supervisor's first message.
    struct Start {
        let configuration: SupervisorConfiguration
        let epoch: Epoch
        let device: DeviceSnapshot
        let tombstones: [AccountReader: [AccountTombstone]]
        /// The question to each eraser.
        let asked: [AppEraser: ErasureQuestion]
        /// For each eraser of a locked app, the ended epoch whose data it must still erase.
        let locks: [AppEraser: Epoch]
    }

    private let session: CurrentSession
    private let access: AppAccess
    private let connections: AppConnections
    private let attempts: SignInAttempts
    private let renewal: PrimaryRefreshTokenRenewal
    private let endedSessions: EndedSessionReporter
    private let leases: OfflineLeaseService
    private let pins: PINService
    private let join: JoinAttempt
    private let router: RequestRouter
    private let counter: RequestCounter
    private let supervisor: SupervisorLink
    private let answers: SupervisorAnswers
    private let files: DeviceFiles

    init(_ start: Start, supervisor: SupervisorLink, files: DeviceFiles, logger: Logger) {
        let network = SessionNetwork(configuration: start.configuration, keys: files.keyStore)
        // Tasks use this queue for blocking work on the disk.
        let disk = BlockingQueue(label: "baton.session.disk")
        session = CurrentSession(epoch: start.epoch, device: start.device)
        access = AppAccess(session: session, locks: start.locks)
        attempts = SignInAttempts(supervisor: supervisor)
        renewal = PrimaryRefreshTokenRenewal(
            session: session, network: network, files: files, disk: disk, logger: logger)
        endedSessions = EndedSessionReporter(
            session: session, network: network, supervisor: supervisor, logger: logger)
        leases = OfflineLeaseService(
            session: session, network: network, supervisor: supervisor, files: files, disk: disk, logger: logger)
        pins = PINService(
            session: session, attempts: attempts, leases: leases, supervisor: supervisor,
            platform: files.keyStore.platform, logger: logger)
        join = JoinAttempt(
            attempts: attempts, network: network, supervisor: supervisor, files: files, disk: disk)
        let counter = RequestCounter(supervisor: supervisor)
        let answers = SupervisorAnswers(supervisor: supervisor)
        let erasures = ErasureService(asked: start.asked, session: session, access: access, answers: answers)
        connections = AppConnections(
            epoch: start.epoch, erasures: erasures, supervisor: supervisor, counter: counter, logger: logger)
        let signOuts = SignOutNotifier(
            session: session, access: access, connections: connections, supervisor: supervisor, logger: logger)
        let changes = AccountChangeTracker(
            tombstones: start.tombstones, session: session, access: access, supervisor: supervisor)
        let tokens = TokenService(
            session: session, access: access, network: network, supervisor: supervisor, changes: changes)
        let dataHolders = DataHolderReporter(session: session, answers: answers)
        router = RequestRouter(
            session: session,
            refusals: RefusalReporter(
                session: session, supervisor: supervisor, counter: counter, logger: logger),
            counter: counter, dataHolders: dataHolders,
            accounts: AccountService(session: session, access: access, tokens: tokens, changes: changes),
            changes: changes, tokens: tokens,
            signIns: SignInCoordinator(
                session: session, attempts: attempts, access: access, connections: connections, tokens: tokens,
                changes: changes, dataHolders: dataHolders, signOuts: signOuts,
                online: OnlineSignIn(
                    session: session, network: network, supervisor: supervisor, files: files, disk: disk,
                    logger: logger),
                offline: OfflineSignIn(
                    session: session, leases: leases, network: network, supervisor: supervisor, files: files,
                    disk: disk, logger: logger),
                renewal: renewal, leases: leases, pins: pins, supervisor: supervisor, logger: logger),
            signOuts: signOuts, erasures: erasures,
            activity: ActivityReporter(session: session, access: access, supervisor: supervisor),
            browser: BrowserSignOnService(
                session: session, access: access, source: BrowserHeaderSource(session: session, network: network),
                tokens: tokens, signOuts: signOuts),
            pages: WorkerPageService(session: session, supervisor: supervisor, now: { .now }),
            supervisor: supervisor)
        (self.supervisor, self.answers, self.files, self.counter) = (supervisor, answers, files, counter)
    }

    /// Resumes a live session after the previous session process died.
    func resume(with key: MemoryKey) throws {
        let epoch = session.epoch
        let worker = try SealedSession(directory: files.session).read(epoch: epoch, under: key)
        session.begin(worker, in: epoch)
        switch worker {
        case .online: renewal.start(under: key)
        case .offline(let offline): leases.watch(offline)
        }
    }

    /// Starts the background work.
    func start() {
        endedSessions.start()
        leases.tend()
    }

    /// Handles a message from the supervisor.
    func take(_ message: SupervisorMessage, _ descriptors: [Descriptor]) {
        switch message {
        case .start: break
        case .device(let device, let change):
            session.update(device)
            // Report the counts first: operators who ask for metrics wait for the message below, so that they get all
            // counts.
            counter.report()
            supervisor.tell(.deviceKnown(change: change))
            endedSessions.start()
        case .connection(let peer):
            if let descriptor = descriptors.first {
                connections.serve(descriptor, of: peer, answer: router.answer, gone: router.signOuts.isReady)
            }
            supervisor.tell(.connectionTaken)
        case .tombstones(let tombstones): router.changes.update(tombstones)
        case .tombstonesStored(let reader): router.changes.stored(reader)
        case .admit(let requestID, let epoch): attempts.admit(requestID, epoch: epoch, key: descriptors.first)
        case .refuse(let requestID, let refusal): attempts.refuse(requestID, because: refusal)
        case .confirm(let requestID): attempts.confirm(requestID)
        case .browserOpening(let user): attempts.browserOpens(for: user)
        case .browserEnded(let end): attempts.browserEnded(end)
        case .tokenNoted(let time): router.tokens.tokenNoted(until: time)
        case .join(let order): join.start(order)
        case .willEnd(let epoch, let milliseconds):
            counter.report()
            router.signOuts.announce(epoch, milliseconds: milliseconds)
        case .idle(let epoch, let seconds): router.signOuts.warn(epoch, seconds: seconds)
        case .asked(let asked): connections.end(router.erasures.update(asked))
        case .locks(let locks): if !access.update(locks).isEmpty { router.signOuts.tellOfUnlock() }
        case .appSettled(let requestID, let accepted): answers.settle(requestID, accepted ? .accepted : .refused)
        case .appIsFull(let requestID): answers.settle(requestID, .full)
        case .roomForErasers: router.signOuts.tellOfUnlock()
        case .pageSettled(let requestID, let failure): router.pages.settle(requestID, failure)
        case .pinWanted: pins.set()
        case .leasesInQuestion: Task { await leases.askWhereHeld() }
        }
    }
}
