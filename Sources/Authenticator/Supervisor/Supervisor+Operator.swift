// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging

extension Supervisor {
    func operatorAsked(_ request: OperatorRequest, answer: @escaping @Sendable (OperatorReply) -> Void) throws {
        switch request {
        case .status: answer(.status(status))
        case .examine: examine(answer: answer)
        case .enroll(let profile): device.enroll(profile: profile, answer: answer)
        case .unenroll: device.unenroll(answer: answer)
        case .checkIn: device.checkIn(answer: answer)
        case .reload: try reload(answer: answer)
        case .join(let order): try join(order, answer: answer)
        case .setPIN: setPIN(answer: answer)
        case .recover:
            answer(
                .failed(
                    OperatorFailure(
                        code: "not_quarantined", message: "The device's state is in order: nothing is to be recovered.",
                        remedy: "To sign a worker out run: baton account sign-out.")))
        case .signOut(let fromBrowser):
            try noteEnd(fromBrowser: fromBrowser)
            try signOut(by: .operator, answer: answer)
        case .seat(let event): try signOut(by: SignOutTrigger(event), answer: answer)
        }
    }

    /// What an administrator has changed on the disk holds from now on; where it is no good, that is the answer.
    ///
    /// It is said when whoever asks is served by it, and not when that is on its way.
    private func reload(answer: @escaping @Sendable (OperatorReply) -> Void) throws {
        readDevice()
        let reply: OperatorReply =
            switch registry {
            case .success: .done
            case .failure(let failure):
                .failed(
                    OperatorFailure(
                        code: failure.code.rawValue, message: failure.message + " No app is served.",
                        remedy: failure.remedy))
            }
        reloads.append((deviceChange, { answer(reply) }))
        if !sessionProcess.isRunning { deviceKnown(change: deviceChange) }
        try endUnlessShared()
    }

    func deviceKnown(change: UInt64) {
        let known = reloads.prefix { $0.change <= change }
        reloads.removeFirst(known.count)
        for reload in known { reload.answer() }
    }

    /// Opens a page in the session's browser on which the worker sets a PIN for offline sign-in.
    private func setPIN(answer: @escaping @Sendable (OperatorReply) -> Void) {
        guard case .signedIn = machine.state else { return answer(.failed(.pinNeedsWorker)) }
        guard settingPIN == nil else { return answer(.failed(.pinRunning)) }
        settingPIN = answer
        tell(.pinWanted)
    }

    /// Tells who waits for a PIN what became of it.
    func settlePIN(_ failure: OperatorFailure?) {
        settingPIN?(failure.map { .failed($0) } ?? .done)
        settingPIN = nil
    }

    private func signOut(by trigger: SignOutTrigger, answer: @escaping @Sendable (OperatorReply) -> Void) throws {
        let requester = newRequester { outcome in answer(outcome.operatorReply) }
        post(.overdue(requester), after: Self.operatorPatience)
        try handle(.endWanted(requester, trigger))
    }

    /// For an operator's sign-out, before the operator hears that it goes on.
    private static let operatorPatience = Duration.seconds(30)

    private func join(_ order: JoinOrder, answer: @escaping @Sendable (OperatorReply) -> Void) throws {
        guard joining == nil else {
            answer(
                .failed(
                    OperatorFailure(
                        code: "join_running", message: "A join is running already.",
                        remedy: "Finish or close the browser of the running one.")))
            return
        }
        guard join == nil else {
            answer(
                .failed(
                    OperatorFailure(
                        code: "already_joined", message: "The device is joined to a directory already.",
                        remedy: "Remove the device in the directory and reset this device before you join another.")))
            return
        }
        joining = (order, answer)
        requesterNumber += 1
        try handle(.signInRequested(.init(number: requesterNumber, purpose: .administrator)))
        awaitAgentOfLastWorker()
    }

    /// Writes the join to disk, then ends the administrator's session and answers whoever asked for the join.
    func joined(_ record: JoinRecord) throws {
        try files.write(record)
        Failpoint.joinWritten.reach()
        try files.removeConfirmedJoin()
        join = record
        tellWatch()
        guard let answer = joining?.answer else { return }
        joining = nil
        let outcome = OperatorReply.joined(deviceID: record.deviceID, tenantID: record.tenantID)
        try handle(.endWanted(newRequester { _ in answer(outcome) }, .operator))
    }

    /// The registration that the directory has confirmed to a process which died before it could say so; the device has it
    /// then, whoever still waits for it.
    func adoptConfirmedJoin() throws {
        guard let record = try files.confirmedJoin() else { return }
        guard join == nil else { return try files.removeConfirmedJoin() }
        try files.write(record)
        try files.removeConfirmedJoin()
        join = record
        logger.notice("the join that the directory had confirmed is finished")
        joining?.answer(.joined(deviceID: record.deviceID, tenantID: record.tenantID))
        joining = nil
    }

    /// Tells the operator who waits for a join that it failed; the administrator's sign-in ends with it.
    func failJoin(_ failure: OperatorFailure) {
        joining?.answer(.failed(failure))
        joining = nil
    }

    var status: DeviceStatus {
        let snapshot = snapshot
        let (session, pending) = sessionStatus
        return DeviceStatus(
            session: session, pending: pending, epoch: machine.epoch, mode: snapshot.mode.name,
            reason: snapshot.mode.reason, remedy: snapshot.mode.remedy, enrolled: device.settings.enrolled,
            tenantID: join?.tenantID, deviceID: join?.deviceID, apps: snapshot.apps.map(\.bundleID).sorted(),
            agentConnected: agent != nil, agentPID: agent?.pid, agentUser: agent?.user, problems: problemTexts,
            lockedApps: locks.keys.sorted(),
            receiptsDamagedAt: receipts.damageFound, keys: KeyFindings(state: files.root).place?.rawValue,
            connectionLimits: listeners.limits.recent)
    }

    /// Why a sign-out does not go on, for a person.
    private var problemTexts: [String] {
        guard let pending = machine.state.pending else { return [] }
        var texts = problems
        if let agent {
            texts[.browser] = texts[.browser] ?? silence(of: agent)
        } else {
            texts[.browser] =
                "The last session's browser cannot be cleared without its agent. Start baton-agent in the graphical session."
        }
        return SessionMachine.Item.allCases.compactMap { pending.items.contains($0) ? texts[$0] : nil }
    }

    private var sessionStatus: (String, [String]) {
        switch machine.state {
        case .ready: ("ready", [])
        case .signingIn(_, let requestID): (requestID.purpose == .worker ? "signingIn" : "joining", [])
        case .signedIn: ("signedIn", [])
        case .ending: ("ending", [])
        case .signingOut(let pending):
            ("signingOut", pending.items.map(\.rawValue).sorted() + pending.awaited.map { "app:" + $0 })
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
                    remedy: "See what is pending: baton device status. It goes on by itself."))
        }
    }
}

extension SessionMachine.Refusal {
    /// What the operator hears whose join may not begin.
    var joinFailure: OperatorFailure {
        switch self {
        case .occupied, .anotherSignIn:
            OperatorFailure(
                code: "device_in_use", message: "Somebody is signed in or signing in on this device.",
                remedy: "Sign out first (baton account sign-out), then join.")
        case .agentMissing:
            OperatorFailure(
                code: "agent_missing", message: "The last browser on this device cannot be cleared without its agent.",
                remedy: "Start baton-agent in the graphical session, then join.")
        }
    }
}
