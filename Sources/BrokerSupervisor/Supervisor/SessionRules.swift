// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import SessionIPC

/// Applies the device's settings to the session, and ends the session when the settings require it.
final class SessionRules {
    private let session: SessionCoordinator
    private let device: ConfiguredDevice
    private let sessionTimer: PersistedSessionTimer
    private let removal: AppDataRemoval
    private let agent: ConnectedAgent
    private let updates: DeviceUpdates
    private let sessionProcess: SessionProcess

    init(
        session: SessionCoordinator, device: ConfiguredDevice, sessionTimer: PersistedSessionTimer,
        removal: AppDataRemoval, agent: ConnectedAgent, updates: DeviceUpdates, sessionProcess: SessionProcess
    ) {
        (self.session, self.device, self.sessionTimer) = (session, device, sessionTimer)
        (self.removal, self.agent) = (removal, agent)
        (self.updates, self.sessionProcess) = (updates, sessionProcess)
    }

    // MARK: - Settings

    /// Reads the settings that were changed from outside, and sends them to the session process and the agent.
    func readDevice() throws {
        device.read()
        try removal.noteFolders(in: session.state)
        agent.configure()
        updates.tell()
    }

    /// Ends a worker's session if the device is no longer shared; otherwise applies the current timeouts.
    func endUnlessShared() throws {
        switch session.state {
        case .signedIn, .ending: break
        case .signingIn(_, let requestID) where requestID.purpose == .worker: break
        case .signingIn, .ready, .signingOut: return
        }
        guard device.snapshot.mode == .shared else { return try session.end(by: .management) }
        guard let epoch = sessionTimer.epoch else { return }
        sessionTimer.follow(device.policy.timeouts)
        try timerDue(in: epoch)
    }

    // MARK: - Time

    /// Continues the timer of the session after a restart of the supervisor.
    func resume() throws {
        try sessionTimer.resume(session.state.heldEpoch, device.policy.timeouts)
        if let epoch = sessionTimer.epoch { try timerDue(in: epoch) }
    }

    /// Carries out what is due in the session of this epoch, and schedules the next check.
    func timerDue(in epoch: Epoch) throws {
        try look(at: epoch)
        sessionTimer.lookAgain(at: epoch)
    }

    private func look(at epoch: Epoch) throws {
        switch sessionTimer.due(in: epoch) {
        case .warning(let seconds): sessionProcess.tell(.idle(epoch: epoch, seconds: seconds))
        case .end(let trigger): try session.end(by: trigger)
        case nil: break
        }
    }

    /// Records that the worker did something in this epoch; nil means the current epoch.
    func activity(in epoch: Epoch? = nil) throws {
        guard let present = sessionTimer.epoch, epoch ?? present == present else { return }
        // After the machine slept, activity may arrive before the timers fire. A session that was due to end must still
        // end.
        try look(at: present)
        sessionTimer.noteActivity()
    }
}
