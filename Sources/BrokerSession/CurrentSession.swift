// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Synchronization

/// The process's current epoch, device state and signed-in worker.
final class CurrentSession: Sendable {
    /// The epoch, the device's state and the worker at one moment.
    struct State: Sendable {
        var epoch: Epoch
        var device: DeviceSnapshot
        var worker: SignedInUser? {
            didSet { accounts = AccountsResponse.text(worker.map { [$0.account] } ?? []) }
        }
        /// The signed-in account as apps get it. It is encoded once, because apps ask for it often.
        private(set) var accounts = AccountsResponse.text([])

        init(epoch: Epoch, device: DeviceSnapshot) { (self.epoch, self.device) = (epoch, device) }
    }

    private let state: Mutex<State>

    init(epoch: Epoch, device: DeviceSnapshot) { state = Mutex(State(epoch: epoch, device: device)) }

    var now: State { state.withLock(\.self) }
    var epoch: Epoch { state.withLock(\.epoch) }
    var device: DeviceSnapshot { state.withLock(\.device) }
    var worker: SignedInUser? { state.withLock(\.worker) }

    // MARK: - Changes

    func update(_ device: DeviceSnapshot) { state.withLock { $0.device = device } }

    /// Removes a session from the ended sessions that must still be reported to the server.
    func forget(_ ended: EndedSession) {
        state.withLock { state in state.device.endedSessions.removeAll { $0 == ended } }
    }

    /// Records the worker who has signed in, and the epoch of their session.
    func begin(_ worker: SignedInUser, in epoch: Epoch) {
        state.withLock { ($0.worker, $0.epoch) = (worker, epoch) }
    }

    /// Replaces the worker's session. The epoch stays the same.
    ///
    /// - Returns: the current epoch.
    @discardableResult
    func replace(with session: WorkerSession) -> Epoch {
        state.withLock { state in
            state.worker = .online(session)
            return state.epoch
        }
    }

    // MARK: - Requirements

    /// Returns the device's registration.
    ///
    /// - Throws: ``BrokerError`` if the device is not joined.
    func join() throws(BrokerError) -> JoinRecord {
        guard let join = device.join else {
            throw BrokerError(.workplaceJoinRequired, "The device is not joined. Run: baton device join.")
        }
        return join
    }

    /// Returns the device's state.
    ///
    /// - Throws: ``BrokerError`` if the device is not in shared mode.
    func sharedDevice() throws(BrokerError) -> DeviceSnapshot {
        let device = device
        guard try device.completeMode() == .shared else {
            throw BrokerError(
                .brokerUnavailable,
                "The device is not in shared mode (\(device.mode.reason)). Turn it on through the MDM.",
                reason: .notShared)
        }
        return device
    }
}

/// The signed-in worker, and the credentials that this process holds for them.
enum SignedInUser: Sendable {
    /// Signed in with the server.
    case online(WorkerSession)
    /// Signed in with an offline lease. This process holds no credential that could get a token.
    case offline(OfflineSession)

    var account: AccountRecord {
        switch self {
        case .online(let session): session.account
        case .offline(let session): session.account
        }
    }

    /// The worker's session at the server; nil if they signed in offline.
    var session: WorkerSession? {
        guard case .online(let session) = self else { return nil }
        return session
    }
}
