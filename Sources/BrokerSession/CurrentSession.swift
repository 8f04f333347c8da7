// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Synchronization

/// The epoch, the device and who is signed in, as this process knows them now.
final class CurrentSession: Sendable {
    /// A consistent view of it.
    struct State: Sendable {
        var epoch: Epoch
        var device: DeviceSnapshot
        var worker: SignedInUser?
    }

    private let state: Mutex<State>

    init(epoch: Epoch, device: DeviceSnapshot) { state = Mutex(State(epoch: epoch, device: device)) }

    var now: State { state.withLock(\.self) }
    var epoch: Epoch { state.withLock(\.epoch) }
    var device: DeviceSnapshot { state.withLock(\.device) }
    var worker: SignedInUser? { state.withLock(\.worker) }

    // MARK: - Changes

    func update(_ device: DeviceSnapshot) { state.withLock { $0.device = device } }

    /// Removes a session from those that the server has to be told of.
    func forget(_ ended: EndedSession) {
        state.withLock { state in state.device.endedSessions.removeAll { $0 == ended } }
    }

    /// The worker holds the device, in this epoch.
    func begin(_ worker: SignedInUser, in epoch: Epoch) {
        state.withLock { ($0.worker, $0.epoch) = (worker, epoch) }
    }

    /// Replaces what is kept of the worker's session. The epoch stays.
    ///
    /// - Returns: the epoch.
    @discardableResult
    func replace(with session: WorkerSession) -> Epoch {
        state.withLock { state in
            state.worker = .online(session)
            return state.epoch
        }
    }

    // MARK: - What must hold

    /// The device's registration.
    ///
    /// - Throws: ``BrokerError`` where the device is not joined.
    func join() throws(BrokerError) -> JoinRecord {
        guard let join = device.join else {
            throw BrokerError(.workplaceJoinRequired, "The device is not joined. Run: baton device join.")
        }
        return join
    }

    /// The device, which must be a shared one.
    func sharedDevice() throws(BrokerError) -> DeviceSnapshot {
        let device = device
        guard try device.info().mode == .shared else {
            throw BrokerError(
                .brokerUnavailable, "The device is not in shared mode (\(device.mode.reason)). Let the MDM turn it on.",
                reason: .notShared)
        }
        return device
    }
}

/// Who holds the device, and what this process has of them.
enum SignedInUser: Sendable {
    /// Signed in with the server.
    case online(WorkerSession)
    /// Signed in by a lease: an identity, and nothing that gets a token.
    case offline(OfflineSession)

    var account: AccountRecord {
        switch self {
        case .online(let session): session.account
        case .offline(let session): session.account
        }
    }

    /// The worker's session at the server. Nil if they signed in offline.
    var session: WorkerSession? {
        guard case .online(let session) = self else { return nil }
        return session
    }
}
