// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceKeyStore
internal import DeviceSettings
internal import Logging
internal import OAuth
internal import Processes
internal import SessionIPC

/// A worker's sign-in without the server. The device asks for a credential on its own page and checks it against a
/// lease.
struct OfflineSignIn: Sendable {
    let session: CurrentSession
    let leases: OfflineLeaseService
    let network: SessionNetwork
    let supervisor: SupervisorLink
    let files: DeviceFiles
    let disk: BlockingQueue
    let logger: Logger

    /// Whether the sign-in must be offline: the device holds a lease, and the server cannot be reached.
    ///
    /// If that cannot be determined, the sign-in uses the server.
    func isDue() async -> Bool {
        guard let join = session.device.join else { return false }
        do {
            guard try await !disk.run({ [files] in try LeaseStore.isEmpty(files.offline) }) else { return false }
            let holds = try await leases.with { [leases] store in
                try leases.look(at: store).leases.contains { $0.isFor(device: join.deviceID) }
            }
            guard holds else { return false }
            return try await !network.reachability.leads(to: join.loginURL)
        } catch {
            logger.error("cannot determine whether the device is offline", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Asks the person for a credential and checks it against the leases.
    func prove(
        _ attempt: SignInAttempt, for wanted: TokenRequest, epoch: Epoch, key: MemoryKey
    ) async throws -> OfflineSession {
        let join = try session.join()
        let known = Promise<HeldLease>()
        let held = try await leases.with { [leases] in try leases.look(at: $0).leases }
        let server = try await OfflineSignInServer.open(
            .signIn(by: secret(of: held)), in: InteractiveSignIn.language(of: wanted.extraQueryParameters),
            owner: attempt.browserOwner,
            unable: { known.settle(.failure(BrokerError.browserNotKnown($0))) },
            judge: { [self] typed in await judge(typed, on: join, known) })
        defer { server.close() }
        attempt.interruption.whenSettled { outcome in
            if case .failure(let error) = outcome { known.settle(.failure(error)) }
        }
        let worker = try await attempt.inTime {
            try attempt.open(server.startURL, [])
            return try await known.value()
        }
        let session = OfflineSession(
            account: worker.lease.account(environment: join.loginHost), lease: worker.lease.id, key: key)
        logger.notice("a worker is signed in without the server")
        supervisor.tell(.signedInOffline(subject: worker.nextSubject))
        try await disk.run { [files] in
            try SealedSession(directory: files.session).write(session, epoch: epoch)
        }
        return session
    }

    /// The credential that the page asks for.
    private func secret(of leases: [HeldLease]) -> OfflinePage.Secret {
        let takesPIN = leases.contains { $0.lease.takesPIN(underPlatform: files.keyStore.platform != nil) }
        let takesPassword = leases.contains { $0.lease.credentials.contains(.password) }
        return takesPIN ? takesPassword ? .either : .pin : .password
    }

    private func judge(
        _ typed: OfflineForm.Typed, on join: JoinRecord, _ known: Promise<HeldLease>
    ) async -> OfflineSignInServer.Verdict {
        do {
            let finding = try await leases.with { [files] store in
                try OfflineAuthenticator(store: store, device: join.deviceID, platform: files.keyStore.platform)
                    .judge(name: typed.name, secret: typed.secret)
            }
            switch finding {
            case .known(let held):
                known.settle(.success(held))
                return .known
            case .wrong:
                try await leases.with { [leases] in _ = try leases.look(at: $0) }
                return .again(.wrong)
            case .clockSetBack: return .again(.clock)
            case .unjudged(let failure):
                logger.error("a PIN could not be checked", metadata: ["error": "\(failure)"])
                return .again(failure == .lockedOut ? .chipLocked : .chipSilent)
            }
        } catch {
            logger.error("an offline sign-in could not be checked", metadata: ["error": "\(error)"])
            return .again(.wrong)
        }
    }
}
