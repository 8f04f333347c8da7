// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging
internal import OAuth
internal import Synchronization

/// The leases of this device: fetched after a sign-in, asked about whenever there is reason to, and erased.
extension AccountDesk {
    /// The store of leases, read with the device's sealing key once. Blocks.
    ///
    /// - Throws: ``DeviceStateDamaged`` where the device has no sealing key, ``KeyFileExposed``, ``FileError``.
    func leaseStore() throws -> LeaseStore {
        try store.withLock { store in
            if let store { return store }
            let made = LeaseStore(
                directory: files.offline, seal: try DeviceSeal(in: files.keyStore), now: { try .now() }, logger: logger)
            store = made
            return made
        }
    }

    /// Looks after what the device holds: the account of time is written down every ten minutes.
    ///
    /// - Parameter asking: whether the server is asked first.
    func tendLeases(asking: Bool = true) {
        let begins = state.withLock { state in
            defer { state.tendsLeases = true }
            return !state.tendsLeases
        }
        guard begins else { return }
        Task { [self] in
            // The server may be long in answering, and the doctor asks meanwhile.
            if asking, await holdsLeases() {
                await tellLeases()
                await askAboutLeases()
            }
            while await holdsLeases() {
                await tellLeases()
                do { try await Task.sleep(for: .seconds(600)) } catch { return }
            }
            state.withLock { $0.tendsLeases = false }
        }
    }

    private func tellLeases() async {
        do { _ = try await disk.run { [self] in try lookAtLeases() } } catch {
            logger.error("the offline leases cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Looks at the leases, and tells the supervisor how many there are. Blocks.
    ///
    /// - Throws: as ``leaseStore()`` and ``LeaseStore/look()``.
    func lookAtLeases() throws -> (leases: [HeldLease], mayBegin: Bool) {
        let found = try leaseStore().look()
        let pins = found.leases.compactMap(\.record.pin)
        tell(
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

    /// Fetches a lease of the worker who has just signed in, where the organisation gives any; until it is there, or the
    /// session over.
    func fetchLease(of session: WorkerSession) {
        guard session.offersLeases else { return }
        Task { [self] in
            var patience = 5
            while state.withLock({ $0.worker?.session?.serverSession }) == session.serverSession {
                guard await !ask(session: session.serverSession) else {
                    tendLeases(asking: false)
                    return await offerPIN()
                }
                do { try await Task.sleep(for: .seconds(patience)) } catch { return }
                patience = min(patience * 2, 600)
            }
        }
    }

    /// Asks how the leases in hand stand, where there are any; a worker who is here by one that is over has to leave.
    func askAboutLeases() async {
        guard await holdsLeases() else { return }
        _ = await ask(session: nil)
        await leaveWithLease()
    }

    /// - Returns: whether the server gave its definite word, and it was followed.
    func ask(session: String?) async -> Bool {
        do {
            let source = try tokenSource()
            guard let join = state.withLock({ $0.device.join }) else { return false }
            let held = try await disk.run { [self] in try leaseStore().ids() }
            let answer: OfflineAnswer
            do { answer = try await source.leases(held: held, session: session) } catch let refusal as OAuthError
                where refusal.number == OAuthError.unknownDeviceNumber
            {
                try await disk.run { [self] in try leaseStore().eraseAll() }
                return true
            }
            let key: JSONWebKey? =
                if let lease = answer.lease { try await source.signingKey(of: lease) } else { nil }
            try await disk.run { [self] in
                try leaseStore().follow(
                    answer, asked: held, key: key, device: join.deviceID, tenant: join.tenantID)
                _ = try lookAtLeases()
            }
            return true
        } catch {
            logger.info(
                "nothing was heard about offline leases",
                metadata: ["error.code": "\(BrokerError(reading: error).code.rawValue)"])
            return false
        }
    }

    // MARK: - A worker who is here by one

    /// Ends the session of a worker when the lease is over by which they came: by its own end, or by the server's word.
    func watchLease(of session: OfflineSession) {
        Task { [self] in
            while isHere(session) {
                let isHeard = await ask(session: nil)
                await leaveWithLease()
                do { try await Task.sleep(for: .seconds(isHeard ? 60 : 10)) } catch { return }
            }
        }
    }

    private func isHere(_ session: OfflineSession) -> Bool {
        guard case .offline(let present) = state.withLock({ $0.worker }) else { return false }
        return present.lease == session.lease
    }

    /// What cannot be found out ends nothing; what is not in the store any more ends the session.
    private func leaveWithLease() async {
        guard case .offline(let session) = state.withLock({ $0.worker }) else { return }
        do {
            let holds = try await disk.run { [self] in
                try lookAtLeases().leases.contains { $0.lease.id == session.lease }
            }
            guard !holds, isHere(session) else { return }
            tell(.leaseOver(epoch: state.withLock { $0.epoch.description }))
        } catch { logger.error("the offline leases cannot be read", metadata: ["error": "\(error)"]) }
    }
}
