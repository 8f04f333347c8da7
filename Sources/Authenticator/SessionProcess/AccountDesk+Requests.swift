// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import Synchronization
internal import UnixSocket

extension AccountDesk {
    /// Answers one request of an app: at once where everything is in memory, else later from another thread.
    func answer(_ request: Request, _ app: AppConnection) {
        do throws(BrokerError) {
            guard app.endedEpoch == nil || request.operation == .acknowledge else {
                throw BrokerError(
                    .unsupported, "This connection is for the acknowledgement of an ended epoch. Connect without one.")
            }
            if request.operation == .login, !request.isSilent { personActed() }
            switch request.operation {
            case .getDeviceInfo: app.reply(to: request, .success(try deviceInfo(request)))
            case .getAccounts: app.reply(to: request, .success(try accounts(request, app)))
            case .currentAccount: try currentAccount(request, app)
            case .acknowledgeAccount: try acknowledge(request, app)
            case .refresh: try refresh(request, app)
            case .login: try login(request, app)
            case .signOut: try signOut(request, app)
            case .deviceToken: try deviceToken(request, app)
            case .getDefaultAccount: app.reply(to: request, .success(try defaultAccount(request, app)))
            case .removeAccount: app.reply(to: request, .success(try removeAccount(request, app)))
            case .epoch, .registerEraser, .readyToEnd, .acknowledge, .activity: try handover(request, app)
            default:
                throw BrokerError(
                    .unsupported, "This broker does not know the operation. Look at the operations of its hello.")
            }
        } catch { refuse(request, error, app) }
    }

    /// Answers with an error, and leaves a line by which the app's report of it can be found.
    func refuse(_ request: Request, _ error: BrokerError, _ app: AppConnection) {
        logger.info(
            "refused",
            metadata: [
                "request.operation": "\(Operation.all.contains(request.operation) ? request.operation.rawValue : "-")",
                "error.code": "\(error.code.rawValue)",
                "request.correlation": "\(request.parameters.correlationID ?? "-")",
            ])
        note(.refused, request, app, code: error.code, reason: error.reason)
        app.reply(to: request, .failure(error))
    }

    /// Answers from a thread of the connection's own, for an app that does not read must not hold up a task.
    func answerLater(_ request: Request, _ outcome: Result<FlatMap, BrokerError>, _ app: AppConnection) {
        app.answerLater { [self] in
            switch outcome {
            case .success: app.reply(to: request, outcome)
            case .failure(let error): refuse(request, error, app)
            }
        }
    }

    /// The registered app that a request comes from.
    ///
    /// - Throws: ``BrokerError`` where the device is not in shared mode, whoever asks may not ask for this client id, or the
    ///   app has not erased what is of a former worker.
    func app(_ client: ClientRequest, _ connection: AppConnection) throws(BrokerError) -> RegisteredApp {
        let app = try registered(client, connection)
        guard state.withLock({ $0.handover.locks[app.bundleID] == nil }) else { throw .notErased }
        return app
    }

    /// The registered app, also one that is locked.
    func registered(_ client: ClientRequest, _ connection: AppConnection) throws(BrokerError) -> RegisteredApp {
        try sharedDevice().app(client.clientID, for: connection.peer.identity)
    }

    /// The device, which must be a shared one.
    func sharedDevice() throws(BrokerError) -> DeviceSnapshot {
        let device = state.withLock { $0.device }
        guard try device.info().mode == .shared else {
            throw BrokerError(
                .brokerUnavailable, "The device is not in shared mode (\(device.mode.reason)). Let the MDM turn it on.",
                reason: .notShared)
        }
        return device
    }

    /// The registered app of a request for tokens, whose redirect URI must be the registered one.
    func app(_ request: TokenRequest, _ connection: AppConnection) throws(BrokerError) -> RegisteredApp {
        let app = try app(request.client, connection)
        guard app.redirectURIs.contains(request.redirectURI) else {
            throw BrokerError(
                .invalidRedirectURI, "The redirect URI is not the registered one. Use msauth.<bundle id>://auth.")
        }
        return app
    }

    private func deviceInfo(_ request: Request) throws(BrokerError) -> FlatMap {
        try ClientRequest.checkVersion(request.parameters)
        let device = state.withLock { $0.device }
        var entries = FlatMap()
        if let clientID = request.parameters[.clientID] {
            entries[.extraDeviceInfo] = device.extraInfo(for: clientID)
        }
        return .response(to: request.operation, type: .generic, device: try device.info(), entries: entries)
    }

    private func accounts(_ request: Request, _ app: AppConnection) throws(BrokerError) -> FlatMap {
        _ = try self.app(ClientRequest(request.parameters), app)
        let (device, worker) = state.withLock { ($0.device, $0.worker) }
        let accounts = AccountsResponse(accounts: worker.map { [$0.account] } ?? [])
        return .response(to: request.operation, type: .accounts, device: try device.info(), entries: accounts.entries)
    }

    // MARK: - The current account and the one before

    private func currentAccount(_ request: Request, _ app: AppConnection) throws(BrokerError) {
        let reader = try reader(ClientRequest(request.parameters), request, app)
        let answer = try changeTombstones { state in
            var tombstones = state.tombstones[reader] ?? AccountTombstones([])
            let answer = CurrentAccount(
                current: state.worker?.account, previousHomeAccountID: tombstones.previous, epoch: state.epoch)
            let current = state.worker?.account.homeAccountID
            let isNew = current.map { tombstones.tell($0, in: state.epoch.description) } ?? false
            return (answer, isNew ? store(tombstones, of: reader, in: &state) : nil)
        }
        let info = try state.withLock { $0.device }.info()
        app.reply(
            to: request,
            .success(
                .response(
                    to: request.operation, type: .accounts, device: info, entries: answer.entries)))
    }

    private func acknowledge(_ request: Request, _ app: AppConnection) throws(BrokerError) {
        let note = try Acknowledgement(request.parameters)
        let reader = try reader(note.client, request, app)
        try changeTombstones { state in
            guard note.epoch == state.epoch, let previous = note.previousHomeAccountID,
                var tombstones = state.tombstones[reader],
                tombstones.acknowledge(previous, current: state.worker?.account.homeAccountID)
            else { return ((), nil) }
            return ((), store(tombstones, of: reader, in: &state))
        }
        let info = try state.withLock { $0.device }.info()
        app.reply(to: request, .success(.response(to: request.operation, type: .generic, device: info)))
    }

    /// Who of the client asks; the client in the registry's spelling: one app is one client, however it writes its id.
    ///
    /// - Throws: ``BrokerError`` where the app may not ask, or has as many readers as one may have.
    private func reader(
        _ client: ClientRequest, _ request: Request, _ connection: AppConnection
    ) throws(BrokerError) -> AccountReader {
        let reader = try AccountReader(request.parameters, clientID: try app(client, connection).clientID)
        let named = state.withLock { state in
            state.tombstones.keys.filter { $0.clientID == reader.clientID && !$0.name.isEmpty }
        }
        guard reader.name.isEmpty || named.contains(reader) || named.count < Self.maximumReaders else {
            throw BrokerError(
                .developerParameter, "The app has \(Self.maximumReaders) readers of accounts already. Use one of them.")
        }
        return reader
    }

    /// Readers with a name that one app may have, for each is kept on disk.
    private static let maximumReaders = 4

    /// Changes what readers have been told, one change at a time, and waits until it is on disk.
    private func changeTombstones<Answer: Sendable>(
        _ change: (inout sending State) -> (Answer, Promise<Void>?)
    ) throws(BrokerError) -> Answer {
        do {
            return try tombstoneTurn.withLock { _ in
                let (answer, stored) = state.withLock { change(&$0) }
                try stored?.wait()
                return answer
            }
        } catch { throw BrokerError(reading: error) }
    }

    private func store(_ tombstones: AccountTombstones, of reader: AccountReader, in state: inout State) -> Promise<
        Void
    > {
        let stored = Promise<Void>()
        state.tombstones[reader] = tombstones.told.isEmpty ? nil : tombstones
        state.storing[reader] = stored
        tell(.storeTombstones(reader: reader, tombstones.told))
        return stored
    }

    // MARK: - Tokens without a person

    private func refresh(_ request: Request, _ app: AppConnection) throws(BrokerError) {
        let wanted = try TokenRequest(request.parameters)
        _ = try self.app(wanted, app)
        let tenant = try self.tenant(of: wanted)
        guard case .online(let worker) = try self.worker(for: wanted) else {
            Task { [self] in answerLater(request, .failure(await refusalOffline()), app) }
            return
        }
        if let token = state.withLock({ $0.tokens.token(for: wanted, tenant: tenant, now: now()) }) {
            app.reply(to: request, .success(try tokenResponse(token, to: request)))
            return
        }
        Task { [self] in
            answerLater(request, await fetch(wanted, tenant: tenant, of: worker, for: request), app)
        }
    }

    /// The tenant of an app's authority, as the identity platform is to be asked of it.
    func tenant(of wanted: TokenRequest) throws(BrokerError) -> String {
        guard let join = state.withLock({ $0.device.join }) else { throw Self.notJoined }
        return try AuthorityRule(join: join).tenant(of: wanted.authority)
    }

    /// The worker whom a silent request means.
    private func worker(for wanted: TokenRequest) throws(BrokerError) -> SignedInUser {
        guard let worker = state.withLock({ $0.worker }) else {
            throw BrokerError(
                .interactionRequired, "Nobody is signed in on this device. Sign in interactively.", reason: .nobody)
        }
        guard wanted.means(worker.account), wanted.homeAccountID != nil || wanted.username != nil else {
            throw BrokerError(
                .interactionRequired, "The account is not the one signed in on this device. Ask for the current one.",
                reason: .otherAccount)
        }
        return worker
    }

    func fetch(
        _ wanted: TokenRequest, tenant: String, of worker: WorkerSession, for request: Request
    ) async -> Result<FlatMap, BrokerError> {
        do {
            let source = try tokenSource().serving(wanted, tenant: tenant)
            let token = try await freshToken(for: wanted, of: worker, from: source)
            try await noteLife(of: token)
            state.withLock { $0.tokens.keep(token, for: wanted, tenant: tenant, now: now()) }
            return .success(try tokenResponse(token, to: request))
        } catch {
            return .failure(BrokerError(reading: error))
        }
    }

    func tokenResponse(_ token: TokenResponse, to request: Request) throws(BrokerError) -> FlatMap {
        let info = try state.withLock { $0.device }.info()
        return .response(to: request.operation, type: .token, device: info, entries: token.entries)
    }

    // MARK: - Sign-out

    private func signOut(_ request: Request, _ app: AppConnection) throws(BrokerError) {
        let wanted = try SignOutRequest(request.parameters)
        _ = try self.app(wanted.client, app)
        guard let worker = state.withLock({ $0.worker }) else {
            let info = try state.withLock { $0.device }.info()
            app.reply(to: request, .success(.response(to: request.operation, type: .generic, device: info)))
            return
        }
        logger.info(
            "an app signs the worker out",
            metadata: ["request.correlation": "\(wanted.client.correlationID ?? "-")"])
        guard worker.account.homeAccountID == wanted.homeAccountID.lowercased() else {
            throw BrokerError(
                .mismatchedAccount, "Another worker is signed in. Ask for the current account before you sign out.")
        }
        let isAdmitted = state.withLock { state in
            state.handover.isLeaving = true
            return state.handover.admitsSignOut(of: app.peer.process)
        }
        guard isAdmitted else { throw .signOutAsked }
        tell(
            .endWanted(
                requestID: request.id, fromBrowser: wanted.signoutFromBrowser,
                correlationID: wanted.client.correlationID), descriptors: [app.descriptor])
    }
}

extension BrokerError {
    /// To an app that asks for the sign-out while as many ask for it as may.
    fileprivate static let signOutAsked = BrokerError(
        .unfinished,
        "The sign-out is asked for already, and goes on. Do not sign out again; ask for the current account.")
}

extension TokenRequest {
    /// Whether the request names this account, or none.
    func means(_ account: AccountRecord) -> Bool {
        if let homeAccountID, homeAccountID.lowercased() != account.homeAccountID { return false }
        if homeAccountID == nil, let username, username.lowercased() != account.username.lowercased() { return false }
        return true
    }
}
