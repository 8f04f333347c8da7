// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import Dispatch
internal import Logging
internal import Processes
internal import SessionIPC

/// Answers interactive requests: signs a worker in, one attempt at a time, or returns a token of the signed-in worker.
struct SignInCoordinator: Sendable {
    let session: CurrentSession
    let attempts: SignInAttempts
    let access: AppAccess
    let connections: AppConnections
    let tokens: TokenService
    let changes: AccountChangeTracker
    let dataHolders: DataHolderReporter
    let signOuts: SignOutNotifier
    let online: OnlineSignIn
    let offline: OfflineSignIn
    let renewal: PrimaryRefreshTokenRenewal
    let leases: OfflineLeaseService
    let pins: PINService
    let supervisor: SupervisorLink
    let logger: Logger

    /// An app's interactive request, and the request's tenant.
    private struct InteractiveRequest: Sendable {
        let call: AppRequest
        let wanted: TokenRequest
        let tenant: String
    }

    /// Signs a worker in or, if a worker is signed in already, returns a token of that worker: one sign-in applies to
    /// every app.
    func login(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        let wanted = try TokenRequest(call.parameters)
        try access.check(wanted.client, redirectURI: wanted.redirectURI, in: call)
        let request = InteractiveRequest(
            call: call, wanted: wanted, tenant: try AuthorityRule(join: session.join()).tenant(of: wanted.authority))
        try InteractiveSignIn.check(extraParameters: wanted.extraQueryParameters)
        guard !call.request.isSilent else {
            throw BrokerError(.interactionRequired, because: .silentLogin)
        }
        // The sign-in belongs to the next worker. The app repeats the request in the next epoch, which begins when this
        // connection ends.
        guard !signOuts.isLeaving else {
            call.onCancel { call.refuse(BrokerError(.programCanceled, "The app cancelled the sign-in.")) }
            return .elsewhere
        }
        if let worker = session.worker { return try again(request, worker) }
        let attempt = try begin(request, because: .nobody)
        supervisor.tell(.signInRequested(requestID: attempt.requestID))
        Task { await signIn(attempt, request) }
        return .elsewhere
    }

    private func begin(_ request: InteractiveRequest, because reason: BrokerError.Reason) throws(BrokerError)
        -> SignInAttempt
    {
        let attempt = try attempts.begin()
        request.call.refusals.reportPrompt(for: request.call, reason: reason)
        request.call.onCancel { attempt.giveUp() }
        return attempt
    }

    /// Answers a request while a worker is signed in.
    private func again(_ request: InteractiveRequest, _ worker: SignedInUser) throws(BrokerError) -> AppAnswer {
        guard request.wanted.means(worker.account) else { throw .otherWorker }
        guard request.wanted.prompt != "login", request.wanted.prompt != "create" else {
            throw BrokerError(
                .mismatchedAccount,
                "A worker who is signed in cannot be asked for credentials again. Sign out first.",
                reason: .alreadySignedIn)
        }
        switch worker {
        case .online(let session):
            try changes.setRemoved(false, client: access.app(request.wanted.client, in: request.call).clientID)
            return .later { try await token(for: request, of: session) }
        case .offline(let session):
            let attempt = try begin(request, because: .signedInOffline)
            return .later { try await becomeOnline(session, by: attempt, for: request) }
        }
    }

    private func token(for request: InteractiveRequest, of worker: WorkerSession) async throws -> AppResponse {
        AppResponse(try await tokens.token(for: request.wanted, tenant: request.tenant, of: worker))
    }

    // MARK: - A new sign-in

    private func signIn(_ attempt: SignInAttempt, _ request: InteractiveRequest) async {
        var isAdmitted = false
        do {
            let (epoch, key) = try await attempt.admission.value()
            isAdmitted = true
            let worker = try await worker(attempt, request, epoch: epoch, key: key)
            let proof = RecentSignIn(at: .now)
            supervisor.tell(.signInSucceeded)
            try await attempt.confirmation.value()
            // End the attempt before the session begins, so that the sign-in window has ended when the worker's browser
            // starts.
            attempts.end(attempt)
            session.begin(worker, in: epoch)
            // All connections belong to the previous epoch and end. The connection of the app that signed in ends only
            // after the app has its answer.
            for other in connections.begin(epoch) where other !== request.call.app { other.end() }
            Failpoint.sessionBegun.reach()
            let outcome = await began(worker, request, key: key, proof: proof)
            DispatchQueue.global().async {
                request.call.reply(outcome)
                request.call.app.end()
            }
        } catch {
            let failure = BrokerError(reading: error)
            supervisor.noteRefusal(failure)
            attempts.end(attempt)
            DispatchQueue.global().async { [isAdmitted] in
                request.call.refuse(failure)
                // The answer was sent. The supervisor may now end this process, and with it all data of the attempt.
                if isAdmitted { supervisor.tell(.signInFailed(OperatorFailure(failure))) }
            }
        }
    }

    private func worker(
        _ attempt: SignInAttempt, _ request: InteractiveRequest, epoch: Epoch, key: MemoryKey
    ) async throws -> SignedInUser {
        if await offline.isDue() {
            return .offline(try await offline.prove(attempt, for: request.wanted, epoch: epoch, key: key))
        }
        return .online(
            try await online.prove(attempt, for: request.wanted, tenant: request.tenant, epoch: epoch, key: key))
    }

    /// Starts the background work of the new session, and returns the app's first answer.
    private func began(
        _ worker: SignedInUser, _ request: InteractiveRequest, key: MemoryKey, proof: RecentSignIn
    ) async -> Result<FlatMap, BrokerError> {
        switch worker {
        case .online(let session):
            renewal.start(under: key)
            // The epoch's browser had no stored state, so somebody has just typed a secret that only this worker knows.
            pins.note(proof)
            leases.fetch(for: session, then: pins.offer)
            do {
                let response = try await token(for: request, of: session)
                try await changes.note(request.call)
                try await dataHolders.noteLater(request.call)
                return .success(try response.entries(to: request.call.operation, from: self.session.device))
            } catch { return .failure(BrokerError(reading: error)) }
        case .offline(let session):
            leases.watch(session)
            return .failure(.signedInOffline)
        }
    }

    // MARK: - A worker who signed in offline

    /// Lets the worker of an offline session authenticate with the server, in the same epoch. From then on, apps get
    /// tokens.
    private func becomeOnline(
        _ offline: OfflineSession, by attempt: SignInAttempt, for request: InteractiveRequest
    ) async throws -> AppResponse {
        defer { attempts.end(attempt) }
        let refusal = await tokens.refusalOffline()
        guard refusal == .backOnline else { throw refusal }
        let worker = try await online.prove(
            attempt, for: request.wanted, tenant: request.tenant, epoch: session.epoch, key: offline.key,
            as: offline.account)
        supervisor.tell(.leaseEnds(at: nil, epoch: session.replace(with: worker)))
        attempts.end(attempt)
        logger.notice("the worker is signed in with the server now")
        renewal.start(under: offline.key)
        leases.fetch(for: worker, then: pins.offer)
        return try await token(for: request, of: worker)
    }
}
