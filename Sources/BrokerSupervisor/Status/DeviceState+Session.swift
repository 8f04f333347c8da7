// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol

extension DeviceState {
    /// Describes the device's current state for home screens.
    ///
    /// - Parameters:
    ///   - registration: the identity platform's last answer about the device's registration.
    ///   - isServerReachable: whether the management server can be reached; nil if that is not known.
    ///   - fault: the code of the first fault that `baton doctor` finds; nil if there is none.
    init(
        _ session: SessionCoordinator, registration: RegistrationStatus?, isServerReachable: Bool?, fault: String?
    ) {
        let (state, management) = (session.machine.state, session.device.management.settings)
        self.init(
            stage: state.publicStage, reason: session.snapshot.mode.reason, isEnrolled: management.enrolled,
            deviceName: session.join.record?.deviceName,
            registration: registration?.state.rawValue, pending: state.pendingNames,
            lockedApps: session.locks.apps, lockedWithoutEraser: session.locks.appsWithoutEraser.sorted(),
            hasAgent: session.browser.agent != nil,
            isServerReachable: isServerReachable,
            hasOfflineLeases: session.sessionProcess.leases?.allowsSignIn ?? false,
            session: state.heldEpoch.flatMap { session.sessionTimer.times(of: $0, session.requestedEnd.unsaved) },
            handover: session.receipts.last,
            homeScreen: management.homeScreen, fault: fault,
            obstacle: session.browser.obstacleToWindows.flatMap { $0.preventsSignIn ? $0.rawValue : nil })
    }
}

extension SessionMachine.State {
    /// The stage as it is published to other programs.
    var publicStage: DeviceState.Stage {
        switch self {
        case .ready: .ready
        case .signingIn(_, let requestID): requestID.purpose == .worker ? .signingIn : .joining
        case .signedIn: .signedIn
        case .ending: .ending
        case .signingOut: .signingOut
        }
    }

    /// The remaining parts of a committed sign-out: items, and apps as `app:<bundle id>`; empty if no sign-out is
    /// committed.
    var pendingNames: [String] {
        guard let pending else { return [] }
        let apps = pending.awaited + pending.toTake
        return pending.items.map(\.rawValue).sorted() + apps.map { ItemOutcome.app($0, .done).name }
    }
}
