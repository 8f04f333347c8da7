// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Glibc
internal import Logging
internal import OAuth
internal import Processes
internal import Synchronization
internal import UnixSocket

/// Where a session's apps are served: one for each epoch's process.
///
/// It answers from what it holds in memory; what must outlive the process it asks of the supervisor.
final class AccountDesk: Sendable {
    struct State {
        var epoch: Epoch
        var device: DeviceSnapshot
        var tombstones: [AccountReader: AccountTombstones]
        var worker: SignedInUser?
        var tokens = TokenCache()
        var attempt: SignInAttempt?
        var attempts: UInt64 = 0
        /// That the worker who is here has just signed in; nil also once this process took the session up again.
        var proof: RecentSignIn?
        var connections: [ObjectIdentifier: AppConnection] = [:]
        var rooms = AppRooms()
        var limitReports = LimitReports()
        var storing: [AccountReader: Promise<Void>] = [:]
        var reporting = false
        var tendsLeases = false
        var tokenLife = TokenLife()
        var refusals = RefusalMeter()
        var handover: HandoverState
    }

    let state: Mutex<State>
    let supervisor: SupervisorLink
    let network: Network
    let files: DeviceFiles
    let logger: Logger
    /// For what blocks on the disk and is asked for by tasks.
    let disk = BlockingQueue(label: "baton.session.disk")
    /// The device's offline leases, once they were needed.
    let store = Mutex<LeaseStore?>(nil)
    private let source = Mutex<(join: JoinRecord, source: TokenSource)?>(nil)
    let ledger = RequestLedger()
    let concurrency = ConcurrencyLimit()
    /// No connection has a file of a higher number, so that some are left for what is sealed and for the network.
    let fileCeiling = Int32(clamping: OpenFileLimit.current - ConnectionLimits.reserve / 2)
    /// Seconds between two reports about the same app and limit.
    static let reportPause = 1
    /// One change of tombstones at a time; held while the supervisor writes.
    let tombstoneTurn = Mutex<Void>(())

    init(
        epoch: Epoch, device: DeviceSnapshot, tombstones: [AccountReader: [AccountTombstone]],
        supervisor: SupervisorLink,
        network: Network, files: DeviceFiles, handover: HandoverState, logger: Logger
    ) {
        state = Mutex(
            State(
                epoch: epoch, device: device, tombstones: tombstones.mapValues(AccountTombstones.init),
                handover: handover))
        self.supervisor = supervisor
        self.network = network
        self.files = files
        self.logger = logger
    }

    /// Takes a live session up again after this process's predecessor died.
    func resume(with key: MemoryKey) throws {
        let epoch = state.withLock { $0.epoch }
        let worker = try SealedSession(directory: files.session).read(epoch: epoch, under: key)
        state.withLock { $0.worker = worker }
        switch worker {
        case .online: keepRenewing(under: key)
        case .offline(let session): watchLease(of: session)
        }
    }

    /// Takes a message of the supervisor.
    func take(_ message: SupervisorMessage, _ descriptors: [Descriptor]) {
        switch message {
        case .start: break
        case .device(let device, let change):
            state.withLock { $0.device = device }
            tell(.deviceKnown(change: change))
            reportEndedSessions()
        case .connection(let peer):
            if let descriptor = descriptors.first { serve(descriptor, peer) }
            tell(.connectionTaken)
        case .admit(let requestID, let epoch): admitted(requestID, epoch, descriptors.first)
        case .tombstones(let tombstones):
            state.withLock { $0.tombstones = tombstones.mapValues(AccountTombstones.init) }
        case .refuse(let requestID, let refusal): attempt(requestID)?.admission.settle(.failure(refusal.error))
        case .confirm(let requestID): attempt(requestID)?.confirmation.settle(.success(()))
        case .tombstonesStored(let reader):
            state.withLock { $0.storing.removeValue(forKey: reader) }?.settle(.success(()))
        case .tokenNoted(let time): tokenNoted(until: time)
        case .browserOpening(let user): state.withLock { $0.attempt }?.browserOwner.settle(.success(user))
        case .browserEnded(let end): state.withLock { $0.attempt }?.interruption.settle(.failure(end.error))
        case .join(let order): join(order)
        case .willEnd(let epoch, let milliseconds): Epoch(epoch).map { announce($0, milliseconds: milliseconds) }
        case .idle(let epoch, let seconds): Epoch(epoch).map { warn($0, seconds: seconds) }
        case .locks(let locks): state.withLock { $0.handover.locks = locks }
        case .appSettled(let requestID, let accepted): settle(requestID, accepted)
        case .pinWanted: setPIN()
        case .leasesInQuestion: Task { [self] in await askAboutLeases() }
        }
    }

    /// Tells the supervisor; where it is gone, so is this process in a moment.
    func tell(_ message: SessionProcessMessage, descriptors: [Descriptor] = []) {
        do { try supervisor.tell(message, descriptors: descriptors) } catch {
            logger.debug("supervisor does not listen", metadata: ["error": "\(error)"])
        }
    }

    static let notJoined = BrokerError(.workplaceJoinRequired, "The device is not joined. Run: baton device join.")

    /// Seconds since 1970.
    @Sendable func now() -> Int { Int(Glibc.time(nil)) }

    /// What the identity platform gives to this device.
    ///
    /// - Throws: ``BrokerError`` where the device is not joined.
    func tokenSource() throws -> TokenSource {
        guard let join = state.withLock({ $0.device.join }) else {
            throw Self.notJoined
        }
        return try source.withLock { source in
            if let source, source.join == join { return source.source }
            let made = try TokenSource(
                join: join, keys: DeviceKeys(in: files.keyStore), https: network.https(), now: { Int(Glibc.time(nil)) })
            source = (join, made)
            return made
        }
    }
}

extension SessionMachine.Refusal {
    var error: BrokerError {
        switch self {
        case .occupied:
            BrokerError(.mismatchedAccount, "Another worker is signed in on this device. Sign out first.")
        case .anotherSignIn:
            BrokerError(.interactionRunning, "Somebody is signing in on this device already. Wait for the end.")
        case .agentMissing:
            BrokerError(
                .internal, "The last worker's browser cannot be cleared without baton-agent. Start it, then sign in.")
        }
    }
}

extension BrokerError {
    /// The kernel does not say whose browser connects, so that no page can be served to it alone.
    static func browserNotKnown(_ error: LoopbackPeerError) -> BrokerError {
        BrokerError(
            .noWindow,
            "The kernel does not say which user connects to the sign-in page (sock_diag, errno \(error.errno)). Allow batond "
                + "AF_NETLINK sockets.", reason: .browserUnavailable)
    }
}

extension BrowserEnd {
    var error: BrokerError {
        switch self {
        case .closedByPerson: BrokerError(.userCanceled, "The person closed the browser.")
        case .couldNotOpen:
            BrokerError(
                .noWindow, "The browser could not be opened. Check browser.command of baton-agent.",
                reason: .browserUnavailable)
        case .broke:
            BrokerError(
                .noWindow,
                "The browser ended with an error before anybody had signed in. Check that baton-agent has a screen (DISPLAY or "
                    + "WAYLAND_DISPLAY), and browser.command.", reason: .browserBroke)
        case .agentMissing:
            BrokerError(
                .noWindow, "No baton-agent runs in the graphical session. Start it there.", reason: .agentMissing)
        }
    }
}
