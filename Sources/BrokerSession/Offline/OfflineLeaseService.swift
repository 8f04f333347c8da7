// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import Logging
internal import OAuth
internal import Processes
internal import SessionIPC
internal import Synchronization

/// Manages the leases of this device: fetches them after a sign-in, asks the server about them, and erases them.
final class OfflineLeaseService: Sendable {
    private struct State {
        /// The store of the leases; nil until it is needed.
        var store: LeaseStore?
        /// Whether the task that updates the record of time is running.
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

    // MARK: - The store

    /// Runs `body` with the lease store, on a queue that may block.
    ///
    /// - Throws: ``DeviceStateDamaged`` if the device has no sealing key, ``KeyFileExposed``, ``FileError``, and the
    ///   errors of `body`.
    func with<Value: Sendable>(_ body: @escaping @Sendable (LeaseStore) throws -> Value) async throws -> Value {
        try await disk.run { [self] in try body(try store()) }
    }

    /// The store of leases, created once with the device's sealing key. Called only on the disk's queue.
    private func store() throws -> LeaseStore {
        if let store = state.withLock({ $0.store }) { return store }
        let made = LeaseStore(
            directory: files.offline, seal: try DeviceSeal(in: files.keyStore), now: { try .now() }, logger: logger)
        state.withLock { $0.store = made }
        return made
    }

    /// Returns the valid leases, and reports their number to the supervisor. Blocks.
    ///
    /// - Throws: as ``LeaseStore/look()``.
    @discardableResult
    func look(at store: LeaseStore) throws -> LeaseStore.Found {
        let found = try store.look()
        let pins = found.leases.compactMap(\.record.pin)
        supervisor.tell(
            .leasesCounted(
                LeaseCount(
                    leases: found.leases.count, pins: pins.count, pinsInFiles: pins.count { !$0.isUnderPlatform },
                    mayBegin: found.mayBegin)))
        return found
    }

    private func holdsLeases() async -> Bool {
        do { return try await !disk.run { [files] in try LeaseStore.isEmpty(files.offline) } } catch {
            logger.error("the folder of offline leases cannot be read", metadata: ["error": "\(error)"])
            return false
        }
    }

    // MARK: - Leases on the device

    /// Updates the record of time every ten minutes while the device holds leases.
    ///
    /// - Parameter asking: whether to ask the server about the leases first.
    func tend(asking: Bool = true) {
        let begins = state.withLock { state in
            defer { state.isTending = true }
            return !state.isTending
        }
        guard begins else { return }
        Task { [self] in
            // Count the leases first: the server may take long to answer, and `baton doctor` may ask meanwhile.
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

    /// Fetches a lease for the worker who has just signed in, if the organisation issues leases. Retries until the
    /// server has answered or the session is over.
    ///
    /// - Parameter then: called after the server's answer was applied.
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

    /// If the device holds leases, asks the server which of them are still valid. Ends the offline session if its lease
    /// is no longer valid.
    func askWhereHeld() async {
        guard await holdsLeases() else { return }
        _ = await ask(session: nil)
        await leaveWithLease()
    }

    /// Asks the server which leases on the device are still valid. If a session is given, also requests a lease for its
    /// worker.
    ///
    /// - Returns: whether the server answered and the answer was applied.
    private func ask(session serverSession: String?) async -> Bool {
        do {
            let join = try session.join()
            let source = try network.platformRequests(for: join)
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
                "the offline leases could not be refreshed",
                metadata: ["error.code": "\(BrokerError(reading: error).code.rawValue)"])
            return false
        }
    }

    // MARK: - An offline session

    /// Watches an offline session, and ends it when its lease expires or the server withdraws the lease.
    func watch(_ worker: OfflineSession) {
        Task { [self] in
            // Find out when the session ends before asking the server, which may take long to answer.
            await leaveWithLease()
            while isHere(worker) {
                let isAnswered = await ask(session: nil)
                await leaveWithLease()
                do { try await Task.sleep(for: .seconds(isAnswered ? 60 : 10)) } catch { return }
            }
        }
    }

    private func isHere(_ worker: OfflineSession) -> Bool {
        guard case .offline(let present) = session.worker else { return false }
        return present.lease == worker.lease
    }

    /// Ends the session if its lease is no longer in the store; otherwise reports when the lease ends. If the store
    /// cannot be read, the session continues.
    private func leaveWithLease() async {
        guard case .offline(let worker) = session.worker else { return }
        do {
            let remaining = try await with { [self] in try look(at: $0).remaining(of: worker.lease) }
            guard isHere(worker) else { return }
            guard let remaining else { return supervisor.tell(.leaseOver(epoch: session.epoch)) }
            supervisor.tell(.leaseEnds(at: Int(BootClock.now().components.seconds) + remaining, epoch: session.epoch))
        } catch { logger.error("the offline leases cannot be read", metadata: ["error": "\(error)"]) }
    }
}
