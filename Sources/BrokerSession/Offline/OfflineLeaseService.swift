// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Logging
internal import OAuth
internal import Synchronization

/// Looks after the leases of this device: fetched after a sign-in, asked about whenever there is reason to, and erased.
final class OfflineLeaseService: Sendable {
    private struct State {
        /// The leases, once they were needed.
        var store: LeaseStore?
        /// Whether the account of time is written down now and then.
        var isTending = false
    }

    private let session: CurrentSession
    private let network: SessionNetwork
    private let supervisor: SupervisorLink
    private let files: DeviceFiles
    private let disk: BlockingQueue
    private let logger: Logger
    private let state = Mutex(State())

    init(
        session: CurrentSession, network: SessionNetwork, supervisor: SupervisorLink, files: DeviceFiles,
        disk: BlockingQueue,
        logger: Logger
    ) {
        (self.session, self.network, self.supervisor) = (session, network, supervisor)
        (self.files, self.disk, self.logger) = (files, disk, logger)
    }

    // MARK: - On the disk

    /// Runs `body` with the leases, where it may block.
    ///
    /// - Throws: ``DeviceStateDamaged`` where the device has no sealing key, ``KeyFileExposed``, ``FileError``, and what
    ///   `body` throws.
    func with<Value: Sendable>(_ body: @escaping @Sendable (LeaseStore) throws -> Value) async throws -> Value {
        try await disk.run { [self] in try body(try store()) }
    }

    /// The store of leases, read with the device's sealing key once; called from the disk's queue alone.
    private func store() throws -> LeaseStore {
        if let store = state.withLock({ $0.store }) { return store }
        let made = LeaseStore(
            directory: files.offline, seal: try DeviceSeal(in: files.keyStore), now: { try .now() }, logger: logger)
        state.withLock { $0.store = made }
        return made
    }

    /// The leases that hold; the supervisor is told how many there are. Blocks.
    ///
    /// - Throws: as ``LeaseStore/look()``.
    @discardableResult
    func look(at store: LeaseStore) throws -> [HeldLease] {
        let found = try store.look()
        let pins = found.leases.compactMap(\.record.pin)
        supervisor.tell(
            .leasesCounted(
                LeaseCount(
                    leases: found.leases.count, pins: pins.count, pinsInFiles: pins.count { !$0.isUnderPlatform },
                    mayBegin: found.mayBegin)))
        return found.leases
    }

    private func holdsLeases() async -> Bool {
        do { return try await !disk.run { [files] in try LeaseStore.isEmpty(files.offline) } } catch {
            logger.error("the folder of offline leases cannot be read", metadata: ["error": "\(error)"])
            return false
        }
    }

    // MARK: - What the device holds

    /// Writes the account of time down every ten minutes while the device holds leases.
    ///
    /// - Parameter asking: whether the server is asked first.
    func tend(asking: Bool = true) {
        let begins = state.withLock { state in
            defer { state.isTending = true }
            return !state.isTending
        }
        guard begins else { return }
        Task { [self] in
            // The server may be long in answering, and the doctor asks meanwhile.
            if asking, await holdsLeases() {
                await count()
                await askWhereHeld()
            }
            while await holdsLeases() {
                await count()
                do { try await Task.sleep(for: .seconds(600)) } catch { return }
            }
            state.withLock { $0.isTending = false }
        }
    }

    private func count() async {
        do { _ = try await with { [self] in try look(at: $0) } } catch {
            logger.error("the offline leases cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Fetches a lease of the worker who has just signed in, where the organisation gives any; until it is there, or the
    /// session over.
    ///
    /// - Parameter then: what follows once the lease is there.
    func fetch(for worker: WorkerSession, then: @escaping @Sendable () async -> Void) {
        guard worker.offersLeases else { return }
        Task { [self] in
            var patience = 5
            while session.worker?.session?.serverSession == worker.serverSession {
                guard await !ask(session: worker.serverSession) else {
                    tend(asking: false)
                    return await then()
                }
                do { try await Task.sleep(for: .seconds(patience)) } catch { return }
                patience = min(patience * 2, 600)
            }
        }
    }

    /// Asks whether the leases on the device are still good, if there are any. A worker whose lease is not has to leave.
    func askWhereHeld() async {
        guard await holdsLeases() else { return }
        _ = await ask(session: nil)
        await leaveWithLease()
    }

    /// Asks the server whether the leases on the device are still good, and for one of the worker of a session.
    ///
    /// - Returns: whether the server answered and the answer was followed.
    private func ask(session serverSession: String?) async -> Bool {
        do {
            let join = try session.join()
            let source = try network.tokenSource(for: join)
            let held = try await with { try $0.ids() }
            let answer: OfflineAnswer
            do { answer = try await source.leases(held: held, session: serverSession) } catch let refusal as OAuthError
                where refusal.number == OAuthError.unknownDeviceNumber
            {
                try await with { try $0.eraseAll() }
                return true
            }
            let key: JSONWebKey? =
                if let lease = answer.lease { try await source.signingKey(of: lease) } else { nil }
            try await with { [self] store in
                try store.follow(answer, asked: held, key: key, device: join.deviceID, tenant: join.tenantID)
                try look(at: store)
            }
            return true
        } catch {
            logger.info(
                "nothing was heard about offline leases",
                metadata: ["error.code": "\(BrokerError(reading: error).code.rawValue)"])
            return false
        }
    }

    // MARK: - A worker who signed in by a lease

    /// Ends the session of a worker who signed in by a lease when that lease ends, by itself or by the server's answer.
    func watch(_ worker: OfflineSession) {
        Task { [self] in
            while isHere(worker) {
                let isHeard = await ask(session: nil)
                await leaveWithLease()
                do { try await Task.sleep(for: .seconds(isHeard ? 60 : 10)) } catch { return }
            }
        }
    }

    private func isHere(_ worker: OfflineSession) -> Bool {
        guard case .offline(let present) = session.worker else { return false }
        return present.lease == worker.lease
    }

    /// Ends the session if the lease is no longer in the store; a store that cannot be read ends nothing.
    private func leaveWithLease() async {
        guard case .offline(let worker) = session.worker else { return }
        do {
            let holds = try await with { [self] in try look(at: $0).contains { $0.lease.id == worker.lease } }
            guard !holds, isHere(worker) else { return }
            supervisor.tell(.leaseOver(epoch: session.epoch))
        } catch { logger.error("the offline leases cannot be read", metadata: ["error": "\(error)"]) }
    }
}
