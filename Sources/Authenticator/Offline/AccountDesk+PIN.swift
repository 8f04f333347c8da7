// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import OAuth
internal import Synchronization

/// The worker who has just signed in with the server sets a PIN for signing in without it, on a page of the broker's own.
extension AccountDesk {
    /// Who may set a PIN.
    private struct Newcomer: Sendable {
        let join: JoinRecord
        let person: String
        let proof: RecentSignIn
    }

    /// Shows the page to the worker who has just signed in, where their lease takes a PIN here and they have none.
    func offerPIN() async {
        guard state.withLock({ $0.proof }) != nil else { return }
        do {
            let worker = try newcomer()
            guard let held = try await disk.run({ [self] in try leaseForPIN(of: worker) }), held.record.pin == nil
            else {
                return
            }
            try await askForPIN(worker)
        } catch let failure as OperatorFailure {
            logger.info("no PIN is set", metadata: ["error.code": "\(failure.code)"])
        } catch {
            logger.info("no PIN is set", metadata: ["error.code": "\(BrokerError(reading: error).code.rawValue)"])
        }
    }

    /// Shows the page because the operator asks for it, also to a worker who has a PIN; says what became of it.
    func setPIN() {
        Task { [self] in
            let failure: OperatorFailure?
            do {
                try await askForPIN(try newcomer())
                failure = nil
            } catch let error as OperatorFailure { failure = error } catch {
                failure = OperatorFailure(BrokerError(reading: error))
            }
            tell(.pinSettled(failure))
        }
    }

    private func newcomer() throws(OperatorFailure) -> Newcomer {
        let (join, worker, proof) = state.withLock { ($0.device.join, $0.worker, $0.proof) }
        guard let join, let session = worker?.session else { throw .pinNeedsWorker }
        guard let proof, proof.left(at: .now) != nil else { throw .pinNeedsProof }
        return Newcomer(join: join, person: session.account.localAccountID, proof: proof)
    }

    private func askForPIN(_ worker: Newcomer) async throws {
        guard try await disk.run({ [self] in try leaseForPIN(of: worker) }) != nil else {
            throw OperatorFailure.pinNotAllowed
        }
        let attempt: SignInAttempt
        do throws(BrokerError) { attempt = try newAttempt() } catch { throw OperatorFailure.pinRunning }
        defer {
            state.withLock { state in
                if state.attempt?.requestID == attempt.requestID { state.attempt = nil }
            }
        }
        let settled = Promise<Bool>()
        let server = try await OfflineSignInServer.open(
            .newPIN, owner: attempt.browserOwner,
            unable: { settled.settle(.failure(BrokerError.browserNotKnown($0))) },
            judge: { [self] typed in await keepPIN(typed, of: worker, settled) })
        defer { server.close() }
        attempt.interruption.whenSettled { outcome in
            if case .failure(let error) = outcome { settled.settle(.failure(error)) }
        }
        let isKept = try await Self.inTime(attempt, worker.proof.left(at: .now) ?? .zero) {
            try browse(server.startURL)
            return try await settled.value()
        }
        guard isKept else { throw OperatorFailure.pinDeclined }
        logger.notice("a PIN for signing in without the server is set")
    }

    private func keepPIN(
        _ typed: OfflineAttempt.Typed, of worker: Newcomer, _ settled: Promise<Bool>
    ) async -> OfflineSignInServer.Verdict {
        guard !typed.isDeclined else {
            settled.settle(.success(false))
            return .declined
        }
        if let refusal = NewPIN.refusal(of: typed, after: worker.proof, at: .now) { return .again(refusal) }
        do {
            let isKept = try await disk.run { [self] in
                guard let held = try leaseForPIN(of: worker) else { return false }
                try leaseStore().setPIN(OfflinePIN(typed.secret, platform: files.keyStore.platform), of: held)
                _ = try lookAtLeases()
                return true
            }
            guard isKept else { return .again(.pinNotKept) }
            settled.settle(.success(true))
            return .known
        } catch {
            logger.error("a PIN was not kept", metadata: ["error": "\(error)"])
            return .again(.pinNotKept)
        }
    }

    /// The worker's lease here, where it takes a PIN of this device.
    private func leaseForPIN(of worker: Newcomer) throws -> HeldLease? {
        try lookAtLeases().leases.first { held in
            held.isFor(device: worker.join.deviceID)
                && held.lease.person.id.lowercased() == worker.person.lowercased()
                && held.lease.takesPIN(underPlatform: files.keyStore.platform != nil)
        }
    }
}

extension OperatorFailure {
    /// Nobody is here whom the server has seen.
    static let pinNeedsWorker = OperatorFailure(
        code: "pin_needs_worker", message: "A PIN is set by a worker who is signed in with the server.",
        remedy: "Sign in while the device reaches the server, then try again.")

    /// The sign-in is too long ago: anybody may be at the device now.
    fileprivate static let pinNeedsProof = OperatorFailure(
        code: "pin_needs_proof", message: "A PIN is set in the first three minutes after a sign-in with the server.",
        remedy: "Sign out, sign in, and try again at once.")

    /// No lease of theirs takes a PIN here.
    fileprivate static let pinNotAllowed = OperatorFailure(
        code: "pin_not_allowed", message: "This worker has no leave to sign in at this device by a PIN.",
        remedy:
            "Turn it on with baton admin offline on --pin (devices with a TPM) or --pin-without-tpm, then sign in again."
    )

    /// The worker does not want one.
    fileprivate static let pinDeclined = OperatorFailure(
        code: "pin_declined", message: "The worker has set no PIN.", remedy: "Nothing is to be done.")

    /// Somebody sets a PIN already.
    static let pinRunning = OperatorFailure(
        code: "pin_running", message: "A PIN is being set already.", remedy: "Finish that page, or close the browser.")

    /// The session ended before.
    static let pinInterrupted = OperatorFailure(
        code: "pin_interrupted", message: "The session ended before a PIN was set.", remedy: "Sign in and try again.")
}
