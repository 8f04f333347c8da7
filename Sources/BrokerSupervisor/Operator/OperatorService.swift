// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Processes

/// Carries out operators' requests on the supervisor's thread, and reports the device's status.
final class OperatorService {
    private let session: SessionCoordinator
    private let device: ManagedDevice
    private let registration: RegistrationStore
    private let departures: DepartureFlow
    private let timer: InputTimer
    private let limits: LimitLog
    private let clock: SupervisorClock
    /// Returns the findings of other parts of this process, for `baton doctor`.
    private let inspect: @Sendable () async -> [CheckResult]
    /// The restart that an upgrade has asked for.
    var restart = PendingRestart()
    /// Recent refusals of apps' requests; in memory only.
    private var refusals = RefusalRing()

    /// How long an operator's request waits for the sign-out before the operator is told that the sign-out is
    /// unfinished.
    private static let patience = Duration.seconds(30)

    init(
        session: SessionCoordinator, registration: RegistrationStore, departures: DepartureFlow,
        limits: LimitLog, timer: InputTimer, clock: SupervisorClock,
        inspect: @escaping @Sendable () async -> [CheckResult]
    ) {
        (self.session, device, self.limits) = (session, session.device, limits)
        (self.departures, self.timer) = (departures, timer)
        (self.registration, self.clock, self.inspect) = (registration, clock, inspect)
    }

    func take(
        _ request: OperatorRequest, from connection: UInt64, answer: @escaping @Sendable (OperatorReply) -> Void
    ) throws {
        if let command = DeviceCondition.Command(request), let refusal = condition.refusal(of: command) {
            return answer(.failed(refusal))
        }
        switch request {
        case .status: answer(.status(status))
        case .examine: examine(answer: answer)
        case .enroll(let profile): enroll(profile, answer: answer)
        case .unenroll: device.management.unenroll(answer: answer)
        case .checkIn: device.management.checkIn(answer: answer)
        case .reload: try reload(answer: answer)
        case .join(let order):
            let requestID = session.join.begin(order, from: connection, answer: answer)
            if let requestID { try session.signInRequested(requestID) }
        case .setPIN: setPIN(answer: answer)
        case .recover: answer(.failed(.notQuarantined))
        case .leave: try depart(.leave, answer: answer)
        case .reset: try depart(.reset, answer: answer)
        case .signOut(let fromBrowser):
            try session.journal.noteEnd(fromBrowser: fromBrowser)
            try signOut(by: .operator, answer: answer)
        case .seat(let event): try signOut(by: SignOutTrigger(event), answer: answer)
        case .metrics: report(answer: answer)
        case .unlock(let app): try unlock(app, answer: answer)
        }
    }

    /// Ends the join of an operator who no longer waits for it. A registration that the directory has confirmed stays
    /// valid.
    func gone(_ connection: UInt64) throws {
        guard let requestID = session.join.request(from: connection) else { return }
        switch session.machine.state {
        case .signingIn(_, requestID): try session.handle(.signInFailed)
        case .signingOut(let pending) where pending.waiting == requestID:
            try session.handle(.signInTimedOut(requestID, .agentMissing))
        case .ready, .signingIn, .signedIn, .ending, .signingOut: session.join.fail(.joinInterrupted)
        }
    }

    private var condition: DeviceCondition {
        DeviceCondition(
            quarantine: nil, isJoined: session.join.record != nil, isEnrolled: device.management.settings.enrolled,
            departure: departures.departure?.kind)
    }

    /// Enrolls the device. If the directory no longer lists the device, the old join is removed after the enrollment.
    private func enroll(_ profile: String, answer: @escaping @Sendable (OperatorReply) -> Void) {
        let state = registration.status(of: session.join.record)?.state
        let isLost = state == .removed || state == .tenantUnknown
        let timer = timer
        device.management.enroll(profile: profile) { reply in
            answer(reply)
            if isLost, reply == .done { timer.inputs.post(.operatorAsked(.leave) { _ in }) }
        }
    }

    /// Begins to leave or to reset. The operator is answered when the device serves again. If the sign-out is
    /// unfinished after ``patience``, the answer is a failure that says so.
    private func depart(
        _ kind: Departure.Kind, answer: @escaping @Sendable (OperatorReply) -> Void
    ) throws {
        let once = OneAnswer(answer)
        try departures.begin(kind, answer: once.give)
        try session.end(by: .operator, patience: Self.patience) { outcome in
            if outcome == .goesOn { once.give(.failed(.leaveUnfinished)) }
        }
    }

    private func signOut(by trigger: SignOutTrigger, answer: @escaping @Sendable (OperatorReply) -> Void) throws {
        try session.end(by: trigger, patience: Self.patience) { outcome in answer(outcome.operatorReply) }
    }

    /// Reads the configuration from disk again after an administrator has changed it, and applies it. An invalid
    /// configuration is reported to the operator.
    ///
    /// The operator is answered only once the new configuration applies to apps.
    private func reload(answer: @escaping @Sendable (OperatorReply) -> Void) throws {
        session.readDevice()
        let reply: OperatorReply =
            switch device.registry {
            case .success: .done
            case .failure(let failure):
                .failed(
                    OperatorFailure(
                        code: failure.code.rawValue, message: failure.message + " No app is served.",
                        remedy: failure.remedy))
            }
        session.sessionProcess.whenDeviceIsKnown { answer(reply) }
        try session.endUnlessShared()
    }

    /// Unlocks an app on the word of an operator who has removed the former worker's data. The operator is answered only
    /// once the app is served.
    private func unlock(_ app: String, answer: @escaping @Sendable (OperatorReply) -> Void) throws {
        guard try session.unlock(app) else {
            return answer(
                .failed(
                    OperatorFailure(
                        code: "app_not_locked", message: "This app is not locked.",
                        remedy: "To see the locked apps run: baton device status.")))
        }
        // The session process answers this after it has read which apps are locked.
        session.sessionProcess.tell(device: session.snapshot)
        session.sessionProcess.whenDeviceIsKnown { answer(.done) }
    }

    /// Opens a page in the session's browser on which the worker sets a PIN for offline sign-in.
    private func setPIN(answer: @escaping @Sendable (OperatorReply) -> Void) {
        var isSignedIn = false
        if case .signedIn = session.machine.state { isSignedIn = true }
        guard session.sessionProcess.pin.begin(isSignedIn: isSignedIn, answer: answer) else { return }
        session.sessionProcess.tell(.pinWanted)
    }

    // MARK: - Status for operators

    /// Records that an app was refused, for `baton doctor`.
    ///
    /// - Parameter before: the number of preceding refusals that came too fast to be reported.
    func note(_ record: RefusalRecord, before: Int) {
        refusals.add(record)
        refusals.unlisted += before
    }

    /// Answers with all counts, once the session process has reported its own.
    private func report(answer: @escaping @Sendable (OperatorReply) -> Void) {
        session.sessionProcess.tell(device: session.snapshot)
        let inputs = timer.inputs
        session.sessionProcess.whenDeviceIsKnown { inputs.post(.metricsWanted(answer)) }
    }

    /// What has been counted, and the present state.
    var metrics: DeviceMetrics {
        session.journal.counter.report(
            session: session.machine.state.publicStage.rawValue, mode: session.snapshot.mode.name,
            sessionProcess: session.sessionProcess.pid)
    }

    /// Answers `baton doctor` with facts from memory, and with checks of disk and network that run outside this thread.
    private func examine(answer: @escaping @Sendable (OperatorReply) -> Void) {
        let examination = examination
        Task {
            let diagnosis = await examination.diagnosis()
            // Sending the answer blocks if the operator does not read, and a task must not block.
            _ = try? await blocking { answer(.diagnosis(diagnosis)) }
        }
    }

    /// An examination of the device as it is now.
    var examination: DeviceExamination {
        let restart = restart.finding(isReplaced: OwnProgram.isReplaced, now: clock.now())
        return DeviceExamination(
            session, status: status, restart: restart, refusals: refusals, clock: clock, inspect: inspect)
    }

    private var status: DeviceStatus {
        let snapshot = session.snapshot
        let agent = session.browser.agent
        let state = session.machine.state
        let registration = registration.status(of: snapshot.join)
        return DeviceStatus(
            session: state.publicStage.rawValue, pending: state.pendingNames, epoch: session.machine.epoch,
            mode: snapshot.mode.name,
            reason: snapshot.mode.reason, remedy: registration?.remedy ?? snapshot.mode.remedy,
            enrolled: device.management.settings.enrolled,
            tenantID: snapshot.join?.tenantID, deviceID: snapshot.join?.deviceID,
            apps: snapshot.apps.map(\.bundleID).sorted(), agentConnected: agent != nil, agentPID: agent?.pid,
            agentUser: agent?.user, problems: problems, lockedApps: session.locks.apps,
            receiptsDamagedAt: session.receipts.damageFound,
            keys: KeyFindings(state: device.files.root).place?.rawValue,
            connectionLimits: limits.recent, registration: registration)
    }

    /// Why a sign-out does not finish, as texts for operators.
    private var problems: [String] {
        guard let pending = session.machine.state.pending else { return [] }
        return SessionMachine.Item.allCases.compactMap { item in
            guard pending.items.contains(item) else { return nil }
            switch item {
            case .browser: return session.browser.obstacle
            case .files: return session.cleaner.problem
            }
        }
    }
}

extension SignOutTrigger {
    fileprivate init(_ event: SeatEvent) {
        self =
            switch event {
            case .charger: .charger
            case .dock: .dock
            case .seat: .seat
            }
    }
}

extension SignOutOutcome {
    fileprivate var operatorReply: OperatorReply {
        switch self {
        case .ready: .done
        case .goesOn:
            .failed(
                OperatorFailure(
                    code: "sign_out_unfinished",
                    message: "Nobody is signed in any more, but traces of the last worker are still being cleared.",
                    remedy: "To see what is pending run: baton device status. It continues by itself."))
        }
    }
}

extension DeviceCondition.Command {
    /// The command of a request; nil for a request that does not change a registration.
    init?(_ request: OperatorRequest) {
        switch request {
        case .enroll: self = .enroll
        case .unenroll: self = .unenroll
        case .join: self = .join
        case .leave: self = .leave
        case .reset: self = .reset
        case .recover: self = .recover
        case .status, .checkIn, .reload, .signOut, .examine, .seat, .setPIN, .metrics, .unlock: return nil
        }
    }
}
