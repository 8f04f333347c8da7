// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Dispatch
internal import Logging
package import OAuth
internal import Synchronization
internal import UnixSocket

extension AccountDesk {
    /// One person at the browser, from the request to the end of it.
    struct SignInAttempt: Sendable {
        let requestID: UInt64
        /// The supervisor's leave to begin, with the epoch and the key.
        let admission = Promise<(Epoch, MemoryKey)>()
        /// The sign-in is in the journal.
        let confirmation = Promise<Void>()
        /// The user whose agent opens the browser.
        let browserOwner = Promise<UInt32>()
        /// The person closed the browser, or the app gave up.
        let interruption = Promise<Void>()
    }

    func attempt(_ requestID: UInt64) -> SignInAttempt? {
        state.withLock { state in state.attempt.flatMap { $0.requestID == requestID ? $0 : nil } }
    }

    func newAttempt() throws(BrokerError) -> SignInAttempt {
        let attempt: SignInAttempt? = state.withLock { state in
            guard state.attempt == nil else { return nil }
            state.attempts += 1
            let attempt = SignInAttempt(requestID: state.attempts)
            state.attempt = attempt
            return attempt
        }
        guard let attempt else {
            throw BrokerError(.interactionRunning, "Somebody is signing in on this device already. Wait for the end.")
        }
        return attempt
    }

    func admitted(_ requestID: UInt64, _ epochText: String, _ descriptor: Descriptor?) {
        guard let attempt = attempt(requestID) else { return }
        attempt.admission.settle(
            Result {
                guard let epoch = Epoch(epochText), let descriptor else { throw SessionProcessError.noKey }
                return (epoch, try MemoryKey(handedOver: descriptor))
            })
    }

    // MARK: - Signing in

    /// Signs a worker in, or gives the signed-in worker's token: who is signed in is signed in for every app.
    func login(_ request: Request, _ app: AppConnection) throws(BrokerError) {
        let wanted = try TokenRequest(request.parameters)
        _ = try self.app(wanted, app)
        let tenant = try self.tenant(of: wanted)
        try InteractiveSignIn.check(extraParameters: wanted.extraQueryParameters)
        guard !request.isSilent else {
            throw BrokerError(.interactionRequired, "A sign-in shows a page; the request forbids it.")
        }
        let (present, isLeaving) = state.withLock { ($0.worker, $0.handover.isLeaving) }
        // The sign-in is the next worker's: its app asks again in the next epoch, which begins when this connection ends.
        guard !isLeaving else { return hold(request, app) }
        if let worker = present {
            try loginAgain(request, wanted, tenant, worker, app)
            return
        }
        let attempt = try newAttempt()
        note(.prompted, request, app, code: nil, reason: .nobody)
        app.onCancel(request) {
            attempt.interruption.settle(.failure(BrokerError(.programCanceled, "The app gave the sign-in up.")))
        }
        tell(.signInRequested(requestID: attempt.requestID))
        Task { [self] in await signIn(attempt, wanted, tenant, request, app) }
    }

    /// Leaves a request unanswered that the end of the epoch answers; an app that gives it up hears so.
    private func hold(_ request: Request, _ app: AppConnection) {
        app.onCancel(request) { [self] in
            refuse(request, BrokerError(.programCanceled, "The app gave the sign-in up."), app)
        }
    }

    private func loginAgain(
        _ request: Request, _ wanted: TokenRequest, _ tenant: String, _ worker: SignedInUser, _ app: AppConnection
    ) throws(BrokerError) {
        guard wanted.means(worker.account) else {
            throw BrokerError(.mismatchedAccount, "Another worker is signed in on this device. Sign out first.")
        }
        guard wanted.prompt != "login", wanted.prompt != "create" else {
            throw BrokerError(
                .unsupported, "A worker who is signed in cannot be asked for credentials again. Sign out first.")
        }
        switch worker {
        case .online(let session):
            Task { [self] in
                answerLater(request, await fetch(wanted, tenant: tenant, of: session, for: request), app)
            }
        case .offline(let session): try becomeOnline(request, wanted, tenant, session, app)
        }
    }

    private func signIn(
        _ attempt: SignInAttempt, _ wanted: TokenRequest, _ tenant: String, _ request: Request, _ app: AppConnection
    ) async {
        var isAdmitted = false
        do {
            let (epoch, key) = try await attempt.admission.value()
            isAdmitted = true
            let worker: SignedInUser =
                if await isOffline() {
                    .offline(try await proveOffline(attempt, epoch, key))
                } else {
                    .online(try await prove(wanted, tenant, attempt, epoch, key))
                }
            let proof = RecentSignIn(at: .now)
            tell(.signInSucceeded)
            try await attempt.confirmation.value()
            // Every other app belongs to the epoch before; the one that signed in gets its answer first.
            for other in begin(worker, epoch) where other !== app { other.end() }
            Failpoint.sessionBegun.reach()
            let outcome: Result<FlatMap, BrokerError>
            switch worker {
            case .online(let session):
                keepRenewing(under: key)
                // The epoch's browser was empty before, so that somebody has typed what only this worker knows.
                state.withLock { $0.proof = proof }
                fetchLease(of: session)
                outcome = await fetch(wanted, tenant: tenant, of: session, for: request)
            case .offline(let session):
                watchLease(of: session)
                outcome = .failure(.signedInOffline)
            }
            DispatchQueue.global().async {
                app.reply(to: request, outcome)
                app.end()
            }
        } catch {
            let failure = BrokerError(reading: error)
            state.withLock { state in
                if state.attempt?.requestID == attempt.requestID { state.attempt = nil }
            }
            DispatchQueue.global().async { [self, isAdmitted] in
                refuse(request, failure, app)
                // The answer is out; now the supervisor may end this process and what it holds of the attempt.
                if isAdmitted { tell(.signInFailed(OperatorFailure(failure))) }
            }
        }
    }

    /// The person proves who they are; the server gives a PRT for this device and epoch.
    ///
    /// - Parameter account: whose proof alone is taken; nil for anybody's.
    /// - Throws: ``BrokerError``, also where somebody else proved who they are: then the server has opened no session here.
    func prove(
        _ wanted: TokenRequest, _ tenant: String, _ attempt: SignInAttempt, _ epoch: Epoch, _ key: MemoryKey,
        as account: AccountRecord? = nil
    ) async throws -> WorkerSession {
        let source = try tokenSource().serving(wanted, tenant: tenant)
        let signIn = InteractiveSignIn(
            server: source.server, scopes: Scopes([Scopes.openID, Scopes.profile, Scopes.offlineAccess]),
            loginHint: wanted.username ?? account?.username, prompt: wanted.prompt,
            claims: try wanted.claimsWithCapabilities(),
            extraParameters: wanted.extraQueryParameters,
            deviceProof: PageProof(logger: logger) { [device = try tokenSource().device] in
                try await device.signInPageProof(epoch)
            })
        let tokens = try await Self.inTime(attempt) {
            try await signIn.run(in: browser(of: attempt))
        }
        if let account, tokens.homeAccountID.lowercased() != account.homeAccountID.lowercased() {
            do { try await source.giveBack(tokens.refreshToken) } catch {
                logger.notice("another worker's token was not given back", metadata: ["error": "\(error)"])
            }
            throw BrokerError(.mismatchedAccount, "Another worker is signed in on this device. Sign out first.")
        }
        guard let join = state.withLock({ $0.device.join }) else { throw SessionProcessError.unexpectedStart }
        let worker = try await source.session(
            refreshToken: tokens.refreshToken, epoch: epoch, environment: join.loginHost)
        guard worker.account.homeAccountID.lowercased() == tokens.homeAccountID.lowercased() else {
            throw BrokerError.answerOfAnother
        }
        Failpoint.sessionGranted.reach()
        tell(.receiptSubject(worker.receiptSubject))
        // From here the server holds a session: that is written down before anything can be answered.
        tell(.sessionKnown(EndedSession(serverSession: worker.serverSession, epoch: epoch.description)))
        try await disk.run { [files] in
            try SealedSession(directory: files.session).write(worker, epoch: epoch, under: key)
        }
        Failpoint.sessionSealed.reach()
        return worker
    }

    /// A page that somebody left open must not keep the next worker waiting for ever.
    static func inTime<Value: Sendable>(
        _ attempt: SignInAttempt, _ patience: Duration = .seconds(600), _ body: () async throws -> Value
    ) async throws -> Value {
        let deadline = Task {
            try await Task.sleep(for: patience)
            attempt.interruption.settle(
                .failure(
                    BrokerError(
                        .userCanceled, "Nobody finished the page within \(patience.components.seconds) seconds.")))
        }
        defer { deadline.cancel() }
        return try await body()
    }

    func browse(_ url: String) throws { try supervisor.tell(.browserWanted(url: url)) }

    private func browser(of attempt: SignInAttempt) -> AttemptBrowser {
        AttemptBrowser(open: browse, owner: attempt.browserOwner, interruption: attempt.interruption)
    }

    /// The worker holds the device.
    ///
    /// - Returns: the connections of the epoch before.
    private func begin(_ worker: SignedInUser, _ epoch: Epoch) -> [AppConnection] {
        state.withLock { state in
            state.worker = worker
            state.epoch = epoch
            state.attempt = nil
            return Array(state.connections.values)
        }
    }

    // MARK: - Joining

    /// Registers the device with an administrator at the browser; the supervisor ends this process afterwards.
    func join(_ order: JoinOrder) {
        let attempt: SignInAttempt
        do throws(BrokerError) { attempt = try newAttempt() } catch {
            tell(.signInFailed(OperatorFailure(error)))
            return
        }
        Task { [self] in
            do {
                let join = DeviceJoin(
                    order: order, https: try network.https(), files: files, disk: disk)
                let record = try await Self.inTime(attempt) {
                    try await join.run(in: browser(of: attempt))
                }
                tell(.joined(record))
            } catch let failure as OperatorFailure {
                tell(.signInFailed(failure))
            } catch {
                tell(.signInFailed(OperatorFailure(BrokerError(reading: error))))
            }
        }
    }

    // MARK: - Sessions that ended

    /// Tells the server of the sessions that ended here, until it knows; needs nothing of any worker.
    func reportEndedSessions() {
        let begins = state.withLock { state in
            guard !state.reporting, state.device.join != nil, !state.device.endedSessions.isEmpty else { return false }
            state.reporting = true
            return true
        }
        guard begins else { return }
        Task { [self] in
            var patience = Duration.seconds(1)
            while await !reportOnce() {
                do { try await Task.sleep(for: patience) } catch { return }
                patience = min(patience * 2, .seconds(60))
            }
            state.withLock { $0.reporting = false }
        }
    }

    /// Tells the server of each session once; one that it refuses does not hold up the others.
    ///
    /// - Returns: whether none is left.
    private func reportOnce() async -> Bool {
        for ended in state.withLock({ $0.device.endedSessions }) {
            do {
                try await tokenSource().end(ended)
                forget(ended)
            } catch let refusal as OAuthError where ended.isSettled(by: refusal) {
                logger.error("the server does not know this device", metadata: ["oauth.number": "\(refusal.number)"])
                forget(ended)
            } catch {
                logger.notice(
                    "the server does not know of an ended session yet",
                    metadata: ["error.code": "\(BrokerError(reading: error).code.rawValue)"])
            }
        }
        return state.withLock { $0.device.endedSessions.isEmpty }
    }

    private func forget(_ ended: EndedSession) {
        state.withLock { $0.device = $0.device.without(ended) }
        tell(.serverSessionEnded(ended))
    }
}

extension EndedSession {
    /// Whether nothing is left to tell after that refusal. The server answers that a session has ended where it does not
    /// know it; the one final refusal is that the device itself is registered no more, with which its sessions went.
    package func isSettled(by refusal: OAuthError) -> Bool { refusal.number == OAuthError.unknownDeviceNumber }
}

extension OperatorFailure {
    init(_ error: BrokerError) {
        self.init(
            code: "broker_\(error.code.rawValue)", message: error.message,
            remedy: "Follow the message, then try again.")
    }
}

extension DeviceSnapshot {
    func without(_ ended: EndedSession) -> DeviceSnapshot {
        var changed = self
        changed.endedSessions.removeAll { $0 == ended }
        return changed
    }
}
