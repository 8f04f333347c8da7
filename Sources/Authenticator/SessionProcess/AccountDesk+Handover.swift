// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Synchronization

extension AccountDesk {
    /// What apps and supervisor have to say to each other about the end of an epoch.
    struct HandoverState {
        /// The ended epoch that each app is asked about, by bundle id.
        var asked: [String: String]
        /// Of these, the apps that may do nothing else any more.
        var locks: [String: String]
        /// What apps wait to hear of from the supervisor.
        var waiting: [UInt64: Promise<Bool>] = [:]
        var requests: UInt64 = 0
        /// The connections that were told of the end and have not said that they are ready.
        var unready: Set<ObjectIdentifier> = []
        var ending: Epoch?
        /// Whether the worker's end is asked for, and comes.
        var isLeaving = false
        var lastActivity: ContinuousClock.Instant?
        /// The sign-outs that were passed on to the supervisor, which holds the connection of each, and by whom.
        var signOuts: [AppProcess: Int] = [:]

        /// Whether any app still has to say that it has erased what is of this epoch.
        func isAskedAbout(_ ended: Epoch) -> Bool {
            asked.values.contains(ended.description) || locks.values.contains(ended.description)
        }

        private static let maximumSignOutsOfProcess = 16
        private static let maximumSignOuts = 48

        /// Whether one more may be passed on; they end with this process.
        mutating func admitsSignOut(of process: AppProcess) -> Bool {
            guard signOuts[process, default: 0] < Self.maximumSignOutsOfProcess,
                signOuts.values.reduce(0, +) < Self.maximumSignOuts
            else { return false }
            signOuts[process, default: 0] += 1
            return true
        }
    }

    /// Answers Baton's own operations for the hand-over.
    func handover(_ request: Request, _ app: AppConnection) throws(BrokerError) {
        var entries = FlatMap()
        switch request.operation {
        case .epoch:
            let bundleID = try registered(ClientRequest(request.parameters), app).bundleID
            entries = state.withLock { state in
                var entries = FlatMap()
                entries[.epoch] = state.epoch.description
                entries[.endedEpoch] = state.handover.asked[bundleID] ?? state.handover.locks[bundleID]
                return entries
            }
        case .registerEraser: try registerEraser(self.app(ClientRequest(request.parameters), app))
        case .acknowledge: try acknowledgeEnd(request, app)
        case .readyToEnd:
            _ = try self.app(ClientRequest(request.parameters), app)
        default:
            _ = try self.app(ClientRequest(request.parameters), app)
            personActed()
        }
        let info = try state.withLock { $0.device }.info()
        app.reply(
            to: request, .success(.response(to: request.operation, type: .generic, device: info, entries: entries)))
        // After its answer: the connection may end at once.
        if request.operation == .readyToEnd { isReady(app) }
    }

    /// From here every end of this epoch asks the app whether it has erased: that is on disk before it hears of it.
    private func registerEraser(_ app: RegisteredApp) throws(BrokerError) {
        let (epoch, worker) = state.withLock { ($0.epoch.description, $0.worker) }
        guard worker != nil else {
            throw BrokerError(
                .interactionRequired, "Nobody is signed in, so that there is nothing to erase. Register in a session.")
        }
        guard try settled({ .appEnlisted(app: app.bundleID, epoch: epoch, requestID: $0) }) else {
            throw BrokerError(
                .internal, "The session has ended, or has too many apps with erasers. Ask for the epoch again.")
        }
    }

    private func acknowledgeEnd(_ request: Request, _ app: AppConnection) throws(BrokerError) {
        let report = try EraserReport(request.parameters)
        let bundleID = try registered(report.client, app).bundleID
        guard app.endedEpoch == report.epoch else {
            throw BrokerError(
                .developerParameter,
                "An ended epoch is acknowledged on a connection of its own. Connect with ended_epoch in the hello.")
        }
        let ended = report.epoch.description
        guard
            try settled({ .appAnswered(app: bundleID, ended: ended, report.result, requestID: $0) })
        else {
            throw BrokerError(.developerParameter, "This epoch has not ended. Acknowledge one that has.")
        }
        guard report.result == .done else { return }
        state.withLock { state in
            if state.handover.asked[bundleID] == ended { state.handover.asked[bundleID] = nil }
        }
    }

    /// Tells the supervisor, and waits until it has dealt with that. Each app has a thread of its own that may wait.
    private func settled(_ message: (UInt64) -> SessionProcessMessage) throws(BrokerError) -> Bool {
        let promise = Promise<Bool>()
        let requestID = state.withLock { state in
            state.handover.requests += 1
            state.handover.waiting[state.handover.requests] = promise
            return state.handover.requests
        }
        tell(message(requestID))
        do { return try promise.wait() } catch { throw BrokerError(reading: error) }
    }

    // MARK: - What the supervisor says

    func settle(_ requestID: UInt64, _ accepted: Bool) {
        state.withLock { $0.handover.waiting.removeValue(forKey: requestID) }?.settle(.success(accepted))
    }

    /// Tells the apps that asked for it that the epoch is about to end.
    func announce(_ epoch: Epoch, milliseconds: Int) {
        let listeners = state.withLock { state in
            let listeners = state.connections.values.filter(\.wantsEvents)
            state.handover.unready = Set(listeners.map(ObjectIdentifier.init))
            state.handover.ending = epoch
            state.handover.isLeaving = true
            return listeners
        }
        for app in listeners { app.tell(.willEnd(epoch, milliseconds: milliseconds)) }
        if listeners.isEmpty { tell(.appsReady(epoch: epoch.description)) }
    }

    /// Tells the apps that asked for events that the person should do something.
    func warn(_ epoch: Epoch, seconds: Int) {
        for app in state.withLock({ $0.connections.values.filter(\.wantsEvents) }) {
            app.tell(.idle(epoch, seconds: seconds))
        }
    }

    // MARK: - What apps do

    /// This connection needs no more time before the end; also where it has gone.
    func isReady(_ app: AppConnection) {
        let ended: Epoch? = state.withLock { state in
            guard state.handover.unready.remove(ObjectIdentifier(app)) != nil else { return nil }
            return state.handover.unready.isEmpty ? state.handover.ending : nil
        }
        if let ended { tell(.appsReady(epoch: ended.description)) }
    }

    /// A person has done something at the device; told once a second at most.
    func personActed() {
        let now = ContinuousClock.now
        let epoch: Epoch? = state.withLock { state in
            if let last = state.handover.lastActivity, now - last < .seconds(1) { return nil }
            state.handover.lastActivity = now
            return state.epoch
        }
        if let epoch { tell(.activity(epoch: epoch.description)) }
    }
}

extension BrokerError {
    /// To an app that has not erased what is of a former worker.
    static let notErased = BrokerError(
        .appLocked,
        "The app has not erased the data of a former worker and is locked until it has: ask for baton.epoch, erase, then "
            + "acknowledge that epoch (baton.acknowledge) on a connection whose hello names it.")
}
