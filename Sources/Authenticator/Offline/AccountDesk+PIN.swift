// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging
internal import OAuth
internal import Synchronization

/// The worker who is signed in with the server sets a PIN for signing in without it, on a page of the broker's own.
extension AccountDesk {
    func setPIN() {
        let visit: Visit
        do throws(BrokerError) { visit = try newVisit() } catch {
            tell(.pinSettled(OperatorFailure(error)))
            return
        }
        Task { [self] in
            var failure: OperatorFailure?
            do { try await askForPIN(visit) } catch let error as OperatorFailure { failure = error } catch {
                failure = OperatorFailure(BrokerError(reading: error))
            }
            state.withLock { state in
                if state.visit?.ticket == visit.ticket { state.visit = nil }
            }
            tell(.pinSettled(failure))
        }
    }

    private func askForPIN(_ visit: Visit) async throws {
        let (join, worker) = state.withLock { ($0.device.join, $0.worker) }
        guard let join, let session = worker?.session else { throw OperatorFailure.pinNeedsWorker }
        let person = session.account.localAccountID
        guard try await disk.run({ [self] in try leaseForPIN(of: person, on: join) }) != nil else {
            throw OperatorFailure.pinNotAllowed
        }
        let known = Promise<Void>()
        let door = try await OfflineDoor.open(.newPIN) { [self] typed in
            await keepPIN(typed, of: person, on: join, known)
        }
        defer { door.close() }
        visit.interruption.whenSettled { outcome in
            if case .failure(let error) = outcome { known.settle(.failure(error)) }
        }
        try await Self.inTime(visit) {
            try browse(door.startURL)
            try await known.value()
        }
        logger.notice("a PIN for signing in without the server is set")
    }

    private func keepPIN(
        _ typed: OfflineAttempt.Typed, of person: String, on join: JoinRecord, _ known: Promise<Void>
    ) async -> OfflineDoor.Verdict {
        guard typed.secret == typed.again else { return .again(.pinsDiffer) }
        do {
            let isKept = try await disk.run { [self] in
                guard let held = try leaseForPIN(of: person, on: join) else { return false }
                try leaseBook().setPIN(OfflinePIN(typed.secret, platform: files.keyStore.platform), of: held)
                return true
            }
            guard isKept else { return .again(.pinNotKept) }
            known.settle(.success(()))
            return .known
        } catch let weakness as OfflinePIN.Weakness {
            return .again(weakness == .shape ? .pinShape : .pinTrivial)
        } catch {
            logger.error("a PIN was not kept", metadata: ["error": "\(error)"])
            return .again(.pinNotKept)
        }
    }

    /// The worker's lease here, where it takes a PIN of this device.
    private func leaseForPIN(of person: String, on join: JoinRecord) throws -> HeldLease? {
        try leaseBook().look().leases.first { held in
            held.isFor(device: join.deviceID) && held.lease.person.id.lowercased() == person.lowercased()
                && held.lease.takesPIN(underPlatform: files.keyStore.platform != nil)
        }
    }
}

extension OperatorFailure {
    /// Nobody is here whom the server has seen.
    static let pinNeedsWorker = OperatorFailure(
        code: "pin_needs_worker", message: "A PIN is set by a worker who is signed in with the server.",
        remedy: "Sign in while the device reaches the server, then try again.")

    /// No lease of theirs takes a PIN here.
    fileprivate static let pinNotAllowed = OperatorFailure(
        code: "pin_not_allowed", message: "This worker has no leave to sign in at this device by a PIN.",
        remedy:
            "Turn it on with baton admin offline on --pin (devices with a TPM) or --pin-without-tpm, then sign in again."
    )

    /// Somebody sets a PIN already.
    static let pinRunning = OperatorFailure(
        code: "pin_running", message: "A PIN is being set already.", remedy: "Finish or close that page.")

    /// The session ended before.
    static let pinInterrupted = OperatorFailure(
        code: "pin_interrupted", message: "The session ended before a PIN was set.", remedy: "Sign in and try again.")
}
