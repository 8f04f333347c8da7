// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceKeyStore
internal import DeviceSettings
internal import Processes
internal import SessionIPC

/// Owns the answers to operators' requests, on the supervisor's thread.
final class OperatorService {
    private let session: SessionCoordinator
    private let rules: SessionRules
    private let erasers: AppErasers
    private let device: ConfiguredDevice
    private let join: JoinFlow
    private let registration: RegistrationStore
    private let departures: DepartureFlow
    private let serverSessions: ServerSessions
    private let sessionProcess: SessionProcess
    private let pin: PINRequest
    private let updates: DeviceUpdates
    private let reports: StateReports
    private let doctor: Doctor
    private let inputs: Mailbox<SupervisorInput>

    /// How long an operator's request waits for the sign-out before the operator is told that the sign-out is
    /// unfinished.
    private static let patience = Duration.seconds(30)

    init(
        session: SessionCoordinator, rules: SessionRules, erasers: AppErasers, device: ConfiguredDevice, join: JoinFlow,
        registration: RegistrationStore, departures: DepartureFlow, serverSessions: ServerSessions,
        sessionProcess: SessionProcess, pin: PINRequest, updates: DeviceUpdates, reports: StateReports,
        doctor: Doctor, inputs: Mailbox<SupervisorInput>
    ) {
        (self.session, self.rules, self.erasers) = (session, rules, erasers)
        (self.device, self.join, self.registration) = (device, join, registration)
        (self.departures, self.serverSessions) = (departures, serverSessions)
        (self.sessionProcess, self.pin, self.updates) = (sessionProcess, pin, updates)
        (self.reports, self.doctor, self.inputs) = (reports, doctor, inputs)
    }

    func take(
        _ request: OperatorRequest, from connection: UInt64, answer: @escaping @Sendable (OperatorReply) -> Void
    ) throws {
        if let command = DeviceCondition.Command(request), let refusal = condition.refusal(of: command) {
            return answer(.failed(refusal))
        }
        switch request {
        case .status: answer(.status(reports.status))
        case .examine: doctor.examine(answer: answer)
        case .enroll(let profile): enroll(profile, answer: answer)
        case .unenroll: device.management.unenroll(answer: answer)
        case .checkIn: device.management.checkIn(answer: answer)
        case .reload: try reload(answer: answer)
        case .join(let order):
            let requestID = join.begin(order, from: connection, answer: answer)
            if let requestID { try session.signInRequested(requestID) }
        case .setPIN: setPIN(answer: answer)
        case .recover: answer(.failed(.notQuarantined))
        case .leave: try depart(.leave, answer: answer)
        case .reset: try depart(.reset, answer: answer)
        case .signOut(let fromBrowser):
            try serverSessions.noteEnd(fromBrowser: fromBrowser)
            try signOut(by: .operator, answer: answer)
        case .seat(let event): try signOut(by: SignOutTrigger(event), answer: answer)
        case .metrics: report(answer: answer)
        case .unlock(let app): try unlock(app, answer: answer)
        }
    }

    /// Ends the join of an operator who no longer waits for it. A registration that the directory has confirmed stays
    /// valid.
    func gone(_ connection: UInt64) throws {
        guard let requestID = join.request(from: connection) else { return }
        switch session.state {
        case .signingIn(_, requestID): try session.signInFailed()
        case .signingOut(let pending) where pending.waiting == requestID:
            try session.signInTimedOut(requestID, .agentMissing)
        case .ready, .signingIn, .signedIn, .ending, .signingOut: join.fail(.joinInterrupted)
        }
    }

    private var condition: DeviceCondition {
        DeviceCondition(
            quarantine: nil, isJoined: join.record != nil, isEnrolled: device.management.settings.enrolled,
            departure: departures.departure?.kind)
    }

    /// Enrolls the device. If the directory no longer lists the device, the old join is removed after the enrollment.
    private func enroll(_ profile: String, answer: @escaping @Sendable (OperatorReply) -> Void) {
        let state = registration.status(of: join.record)?.state
        let isLost = state == .removed || state == .tenantUnknown
        let inputs = inputs
        device.management.enroll(profile: profile) { reply in
            answer(reply)
            if isLost, reply == .done { inputs.post(.operatorAsked(.leave) { _ in }) }
        }
    }

    /// Begins to leave the directory or to reset the device. The operator is answered when the device serves again. If
    /// the sign-out is unfinished after ``patience``, the answer is a failure that says so.
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
        try rules.readDevice()
        let reply: OperatorReply =
            switch device.registry {
            case .success: .done
            case .failure(let failure):
                .failed(
                    OperatorFailure(
                        code: failure.code.rawValue, message: failure.message + " No app is served.",
                        remedy: failure.remedy))
            }
        updates.whenKnown { answer(reply) }
        try rules.endUnlessShared()
    }

    /// Unlocks an app because an operator states that they have removed the former worker's data. The operator is
    /// answered only once the app is served.
    private func unlock(_ app: String, answer: @escaping @Sendable (OperatorReply) -> Void) throws {
        guard try erasers.unlock(app) else {
            return answer(
                .failed(
                    OperatorFailure(
                        code: "app_not_locked", message: "This app is not locked.",
                        remedy: "To see the locked apps run: baton device status.")))
        }
        // The session process answers this after it has read which apps are locked.
        updates.tell()
        updates.whenKnown { answer(.done) }
    }

    /// Opens, in the session's browser, the page on which the worker sets a PIN for offline sign-in.
    private func setPIN(answer: @escaping @Sendable (OperatorReply) -> Void) {
        var isSignedIn = false
        if case .signedIn = session.state { isSignedIn = true }
        guard pin.begin(isSignedIn: isSignedIn, answer: answer) else { return }
        sessionProcess.tell(.pinWanted)
    }

    /// Answers with all counts, once the session process has reported its own.
    private func report(answer: @escaping @Sendable (OperatorReply) -> Void) {
        updates.tell()
        let inputs = inputs
        updates.whenKnown { inputs.post(.metricsWanted(answer)) }
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
