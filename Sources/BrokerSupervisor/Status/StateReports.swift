// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceSettings
internal import SessionIPC

/// Owns the reports of the device's current state to other programs.
final class StateReports {
    private let session: SessionCoordinator
    private let device: ConfiguredDevice
    private let join: JoinFlow
    private let registration: RegistrationStore
    private let locks: AppLocks
    private let agent: ConnectedAgent
    private let browser: BrowserSupervision
    private let cleaner: SessionCleaner
    private let leases: OfflineLeaseCount
    private let sessionTimer: PersistedSessionTimer
    private let requestedEnd: RequestedEnd
    private let receipts: ReceiptWriter
    private let counter: DeviceCounter
    private let sessionProcess: SessionProcess
    private let files: DeviceFiles
    private let limits: LimitLog

    init(
        session: SessionCoordinator, device: ConfiguredDevice, join: JoinFlow, registration: RegistrationStore,
        locks: AppLocks, agent: ConnectedAgent, browser: BrowserSupervision, cleaner: SessionCleaner,
        leases: OfflineLeaseCount, sessionTimer: PersistedSessionTimer, requestedEnd: RequestedEnd,
        receipts: ReceiptWriter, counter: DeviceCounter, sessionProcess: SessionProcess, files: DeviceFiles,
        limits: LimitLog
    ) {
        (self.session, self.device, self.join, self.registration) = (session, device, join, registration)
        (self.locks, self.agent, self.browser, self.cleaner) = (locks, agent, browser, cleaner)
        (self.leases, self.sessionTimer, self.requestedEnd) = (leases, sessionTimer, requestedEnd)
        (self.receipts, self.counter, self.sessionProcess) = (receipts, counter, sessionProcess)
        (self.files, self.limits) = (files, limits)
    }

    /// Describes the state for home screens.
    ///
    /// - Parameters:
    ///   - isServerReachable: whether the management server can be reached; nil if that is not known.
    ///   - fault: the code of the first fault that `baton doctor` finds; nil if it finds no fault.
    func state(isServerReachable: Bool?, fault: String?) -> DeviceState {
        let (state, management) = (session.state, device.management.settings)
        return DeviceState(
            stage: state.publicStage, reason: device.snapshot.mode.reason, isEnrolled: management.enrolled,
            deviceName: join.record?.deviceName,
            registration: registration.status(of: join.record)?.state.rawValue, pending: state.pendingNames,
            lockedApps: locks.apps, lockedWithoutEraser: locks.appsWithoutEraser.sorted(),
            hasAgent: agent.link != nil,
            isServerReachable: isServerReachable,
            hasOfflineLeases: leases.count?.allowsSignIn ?? false,
            session: state.heldEpoch.flatMap { sessionTimer.times(of: $0, requestedEnd.unsaved) },
            handover: receipts.last,
            homeScreen: management.homeScreen, fault: fault,
            obstacle: agent.obstacleToWindows.flatMap { $0.preventsSignIn ? $0.rawValue : nil })
    }

    /// Describes the state for operators.
    var status: DeviceStatus {
        let snapshot = device.snapshot
        let link = agent.link
        let state = session.state
        let registration = registration.status(of: snapshot.join)
        return DeviceStatus(
            session: state.publicStage.rawValue, pending: state.pendingNames, epoch: session.epoch,
            mode: snapshot.mode.name,
            reason: snapshot.mode.reason, remedy: registration?.remedy ?? snapshot.mode.remedy,
            enrolled: device.management.settings.enrolled,
            tenantID: snapshot.join?.tenantID, deviceID: snapshot.join?.deviceID,
            apps: snapshot.apps.map(\.bundleID).sorted(), agentConnected: link != nil, agentPID: link?.pid,
            agentUser: link?.user, problems: problems, lockedApps: locks.apps,
            receiptsDamagedAt: receipts.damageFound,
            keys: KeyFindings(state: files.root).place?.rawValue,
            connectionLimits: limits.recent, registration: registration)
    }

    /// Why a sign-out does not finish, as texts for operators.
    private var problems: [String] {
        guard let pending = session.state.pending else { return [] }
        return SessionMachine.Item.allCases.compactMap { item in
            guard pending.items.contains(item) else { return nil }
            switch item {
            case .browser: return browser.obstacle
            case .files: return cleaner.problem
            }
        }
    }

    /// All counts, and the current state.
    var metrics: DeviceMetrics {
        counter.report(
            session: session.state.publicStage.rawValue, mode: device.snapshot.mode.name,
            sessionProcess: sessionProcess.pid)
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
