// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import Logging
internal import OAuth
internal import Processes
internal import SessionIPC
internal import Synchronization

/// Lets a worker who has just signed in with the server set a PIN for offline sign-in, on the broker's own page.
final class PINService: Sendable {
    /// A worker who may set a PIN.
    private struct Worker: Sendable {
        let join: JoinRecord
        let userID: String
        let proof: RecentSignIn
    }

    private let session: CurrentSession
    private let attempts: SignInAttempts
    private let leases: OfflineLeaseService
    private let supervisor: SupervisorLink
    /// The device's TPM; nil if it has none.
    private let platform: (any TrustedPlatform)?
    private let logger: Logger
    /// The recent sign-in of the current worker with the server; nil if there was none, or if this process has resumed
    /// the session.
    private let proof = Mutex<RecentSignIn?>(nil)

    init(
        session: CurrentSession, attempts: SignInAttempts, leases: OfflineLeaseService, supervisor: SupervisorLink,
        platform: (any TrustedPlatform)?, logger: Logger
    ) {
        (self.session, self.attempts, self.leases) = (session, attempts, leases)
        (self.supervisor, self.platform, self.logger) = (supervisor, platform, logger)
    }

    /// Records that the current worker has just signed in with the server.
    func note(_ proof: RecentSignIn) { self.proof.withLock { $0 = proof } }

    /// Shows the page to the worker who has just signed in, if their lease allows a PIN on this device and they have
    /// not set a PIN.
    func offer() async {
        guard proof.withLock({ $0 }) != nil else { return }
        do {
            let worker = try worker()
            guard let held = try await lease(of: worker), held.record.pin == nil else { return }
            try await ask(worker)
        } catch let failure as OperatorFailure {
            logger.info("no PIN is set", metadata: ["error.code": "\(failure.code)"])
        } catch {
            logger.info("no PIN is set", metadata: ["error.code": "\(BrokerError(reading: error).code.rawValue)"])
        }
    }

    /// Shows the page at an operator's request, even if the worker has a PIN. Reports the result to the supervisor.
    func set() {
        Task { [self] in
            let failure: OperatorFailure?
            do {
                try await ask(try worker())
                failure = nil
            } catch let error as OperatorFailure { failure = error } catch {
                failure = OperatorFailure(BrokerError(reading: error))
            }
            supervisor.tell(.pinSettled(failure))
        }
    }

    private func worker() throws(OperatorFailure) -> Worker {
        let now = session.now
        guard let join = now.device.join, let session = now.worker?.session else { throw .pinNeedsWorker }
        guard let proof = proof.withLock({ $0 }), proof.left(at: .now) != nil else { throw .pinNeedsProof }
        return Worker(join: join, userID: session.account.localAccountID, proof: proof)
    }

    private func ask(_ worker: Worker) async throws {
        guard try await lease(of: worker) != nil else { throw OperatorFailure.pinNotAllowed }
        let attempt: SignInAttempt
        do throws(BrokerError) { attempt = try attempts.begin() } catch { throw OperatorFailure.pinRunning }
        defer { attempts.end(attempt) }
        let settled = Promise<Bool>()
        let server = try await OfflineSignInServer.open(
            .newPIN, owner: attempt.browserOwner,
            unable: { settled.settle(.failure(BrokerError.browserNotKnown($0))) },
            judge: { [self] typed in await keep(typed, of: worker, settled) })
        defer { server.close() }
        attempt.interruption.whenSettled { outcome in
            if case .failure(let error) = outcome { settled.settle(.failure(error)) }
        }
        let isKept = try await attempt.inTime(worker.proof.left(at: .now) ?? .zero) {
            try attempt.open(server.startURL, [])
            return try await settled.value()
        }
        guard isKept else { throw OperatorFailure.pinDeclined }
        logger.notice("a PIN for signing in without the server is set")
    }

    private func keep(
        _ typed: OfflineForm.Typed, of worker: Worker, _ settled: Promise<Bool>
    ) async -> OfflineSignInServer.Verdict {
        guard !typed.isDeclined else {
            settled.settle(.success(false))
            return .declined
        }
        if let refusal = NewPIN.refusal(of: typed, after: worker.proof, at: .now) { return .again(refusal) }
        do {
            let isKept = try await leases.with { [self] store in
                guard let held = try lease(of: worker, in: store) else { return false }
                try store.setPIN(OfflinePIN(typed.secret, platform: platform), of: held)
                try leases.look(at: store)
                return true
            }
            guard isKept else { return .again(.pinNotKept) }
            settled.settle(.success(true))
            return .known
        } catch {
            logger.error("a PIN could not be stored", metadata: ["error": "\(error)"])
            return .again(.pinNotKept)
        }
    }

    private func lease(of worker: Worker) async throws -> HeldLease? {
        try await leases.with { [self] in try lease(of: worker, in: $0) }
    }

    /// The worker's lease, if it allows a PIN on this device.
    private func lease(of worker: Worker, in store: LeaseStore) throws -> HeldLease? {
        try leases.look(at: store).leases.first { held in
            held.isFor(device: worker.join.deviceID)
                && held.lease.person.id.lowercased() == worker.userID.lowercased()
                && held.lease.takesPIN(underPlatform: platform != nil)
        }
    }
}

extension OperatorFailure {
    /// The sign-in is too long ago; another person may be at the device now.
    fileprivate static let pinNeedsProof = OperatorFailure(
        code: "pin_needs_proof",
        message: "A PIN can be set only in the first three minutes after a sign-in with the server.",
        remedy: "Sign out, sign in, and try again at once.")

    /// None of the worker's leases allows a PIN here.
    fileprivate static let pinNotAllowed = OperatorFailure(
        code: "pin_not_allowed", message: "This worker may not sign in with a PIN on this device.",
        remedy:
            "Turn PINs on with baton admin offline on --pin (devices with a TPM) or --pin-without-tpm, then "
            + "sign in again."
    )

    /// The worker declined to set a PIN.
    fileprivate static let pinDeclined = OperatorFailure(
        code: "pin_declined", message: "The worker has set no PIN.", remedy: "No action is needed.")
}
