// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import OAuth
internal import Synchronization

/// Signing in without the server, and becoming online afterwards.
extension AccountDesk {
    /// Whether a sign-in goes on without the server: somebody holds a lease here, and the network leads to no server.
    ///
    /// Where that cannot be found out, it goes on with the server, who is then found or not.
    func isOffline() async -> Bool {
        guard let join = state.withLock({ $0.device.join }) else { return false }
        do {
            let holds = try await disk.run { [self] in
                guard try !LeaseStore.isEmpty(files.offline) else { return false }
                return try lookAtLeases().leases.contains { $0.isFor(device: join.deviceID) }
            }
            guard holds else { return false }
            return try await !network.reachability.leads(to: join.loginURL)
        } catch {
            logger.error("whether the device is offline is not known", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// The person proves to the device who they are, on a page of its own.
    func proveOffline(_ attempt: SignInAttempt, _ epoch: Epoch, _ key: MemoryKey) async throws -> OfflineSession {
        guard let join = state.withLock({ $0.device.join }) else { throw Self.notJoined }
        let known = Promise<HeldLease>()
        let secret = try await disk.run { [self] in asked(of: try lookAtLeases().leases) }
        let server = try await OfflineSignInServer.open(
            .signIn(by: secret), owner: attempt.browserOwner,
            unable: { known.settle(.failure(BrokerError.browserNotKnown($0))) },
            judge: { [self] typed in await judge(typed, on: join, known) })
        defer { server.close() }
        attempt.interruption.whenSettled { outcome in
            if case .failure(let error) = outcome { known.settle(.failure(error)) }
        }
        let held = try await Self.inTime(attempt) {
            try browse(server.startURL)
            return try await known.value()
        }
        let session = OfflineSession(
            account: held.lease.account(environment: join.loginHost), lease: held.lease.id, key: key)
        logger.notice("a worker is signed in without the server")
        tell(.signedInOffline(subject: held.nextSubject))
        try await disk.run { [files] in
            try SealedSession(directory: files.session).write(session, epoch: epoch)
        }
        return session
    }

    /// By what somebody may be known here; the page asks for that.
    private func asked(of leases: [HeldLease]) -> OfflinePage.Secret {
        let takesPIN = leases.contains { $0.lease.takesPIN(underPlatform: files.keyStore.platform != nil) }
        let takesPassword = leases.contains { $0.lease.credentials.contains(.password) }
        return takesPIN ? takesPassword ? .either : .pin : .password
    }

    private func judge(
        _ typed: OfflineAttempt.Typed, on join: JoinRecord, _ known: Promise<HeldLease>
    ) async -> OfflineSignInServer.Verdict {
        do {
            let finding = try await disk.run { [self] in
                try OfflineAuthenticator(store: leaseStore(), device: join.deviceID, platform: files.keyStore.platform)
                    .judge(name: typed.name, secret: typed.secret)
            }
            switch finding {
            case .known(let held):
                known.settle(.success(held))
                return .known
            case .wrong:
                _ = try await disk.run { [self] in try lookAtLeases() }
                return .again(.wrong)
            case .clockSetBack: return .again(.clock)
            case .unjudged(let failure):
                logger.error("a PIN was not judged", metadata: ["error": "\(failure)"])
                return .again(failure == .lockedOut ? .chipLocked : .chipSilent)
            }
        } catch {
            logger.error("an offline attempt was not judged", metadata: ["error": "\(error)"])
            return .again(.wrong)
        }
    }

    // MARK: - With the server again

    /// Why a worker who signed in offline has no token: the server is away, or waits for them.
    func refusalOffline() async -> BrokerError {
        guard let join = state.withLock({ $0.device.join }) else { return Self.notJoined }
        do { return try await network.reachability.leads(to: join.loginURL) ? .backOnline : .signedInOffline } catch {
            return .signedInOffline
        }
    }

    /// The worker who is here offline proves themselves to the server, in the same epoch; from then on there are tokens.
    func becomeOnline(
        _ request: Request, _ wanted: TokenRequest, _ tenant: String, _ offline: OfflineSession, _ app: AppConnection
    ) throws(BrokerError) {
        let attempt = try newAttempt()
        note(.prompted, request, app, code: nil, reason: .signedInOffline)
        app.onCancel(request) {
            attempt.interruption.settle(.failure(BrokerError(.programCanceled, "The app gave the sign-in up.")))
        }
        Task { [self] in
            let outcome: Result<FlatMap, BrokerError>
            do {
                let refusal = await refusalOffline()
                guard refusal == .backOnline else { throw refusal }
                let epoch = state.withLock { $0.epoch }
                let session = try await prove(wanted, tenant, attempt, epoch, offline.key, as: offline.account)
                state.withLock { state in
                    state.worker = .online(session)
                    state.attempt = nil
                }
                logger.notice("the worker is signed in with the server now")
                keepRenewing(under: offline.key)
                fetchLease(of: session)
                outcome = await fetch(wanted, tenant: tenant, of: session, for: request)
            } catch {
                state.withLock { $0.attempt = nil }
                outcome = .failure(BrokerError(reading: error))
            }
            answerLater(request, outcome, app)
        }
    }
}
