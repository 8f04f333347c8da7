// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging

/// The stay of a worker as it is kept for a restart of the supervisor; nothing of the worker is in it.
package struct SessionTimerRecord: Sendable, Codable, Equatable {
    let epoch: Epoch
    let beginning: SessionTimer.Beginning
    /// When the worker did something last, on the clock of ``SessionTimer/Beginning/moment``; behind by a minute at most.
    let activity: Int
}

/// Ends sessions after a time without activity, and at the end of a shift.
extension Supervisor {
    /// Computes the policy in force from the device's own file and the MDM's override.
    func readSessionPolicy() {
        let (now, refusal) = configuration.sessionPolicy.followed(device.settings)
        if let refusal, refusal != sessionPolicyError {
            logger.error(
                "the session policy of the MDM is refused; the device's own is in force",
                metadata: ["error.code": "\(refusal.code.rawValue)", "error.subject": "\(refusal.key)"])
        }
        (sessionPolicy, sessionPolicyError) = (now, refusal)
    }

    /// Applies a changed policy to the session that is going on.
    func applySessionPolicy() throws {
        guard let epoch = sessionTimer?.epoch else { return }
        sessionTimer?.clock.follow(sessionPolicy.timeouts, at: moment)
        try sessionTimerDue(in: epoch)
    }

    /// A session that goes on after a restart is as old as it is.
    func resumeSessionTimer() throws {
        guard let epoch = machine.state.heldEpoch else { return try files.removeSessionTimer() }
        let record = storedSessionTimer.flatMap { $0.epoch == epoch ? $0 : nil }
        if record == nil { logger.warning("it is not known when this session began") }
        let activity = record.map { Duration.seconds($0.activity) }
        sessionTimer = (
            epoch, SessionTimer(sessionPolicy.timeouts, resuming: record?.beginning, activity: activity, at: moment)
        )
        timerRecord = record
        try sessionTimerDue(in: epoch)
    }

    /// What cannot be read is not known.
    private var storedSessionTimer: SessionTimerRecord? {
        do { return try files.sessionTimer() } catch {
            logger.error("the beginning of the session cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// A stay begins with its session, and ends with it.
    func followSessionTimer() throws {
        guard let epoch = machine.state.heldEpoch else {
            if sessionTimer != nil { try files.removeSessionTimer() }
            (sessionTimer, timerRecord) = (nil, nil)
            return
        }
        guard sessionTimer?.epoch != epoch else { return }
        let wall = clock.now()
        let beginning = SessionTimer.Beginning(
            moment: Int(moment.components.seconds), wall: wall, secondOfDay: clock.secondOfDay(wall))
        sessionTimer = (epoch, SessionTimer(sessionPolicy.timeouts, from: beginning))
        keep(SessionTimerRecord(epoch: epoch, beginning: beginning, activity: beginning.moment))
        lookAgain(epoch)
    }

    /// The worker of this epoch has done something.
    func activity(in epoch: Epoch) throws {
        guard sessionTimer?.epoch == epoch else { return }
        // After the machine slept, activity may arrive before the timers fire; a session that was due to end still ends.
        try look(at: epoch)
        sessionTimer?.clock.activity(at: moment)
        guard let record = timerRecord, let last = sessionTimer?.clock.lastActivity.components.seconds,
            Int(last) - record.activity >= Self.activityGap
        else { return }
        keep(SessionTimerRecord(epoch: record.epoch, beginning: record.beginning, activity: Int(last)))
    }

    /// Seconds between two writes of the time of the last activity.
    private static let activityGap = 60

    /// A disk that does not take it ends no session: after a restart less is known, and the session may end earlier.
    private func keep(_ record: SessionTimerRecord) {
        timerRecord = record
        do { try files.write(record) } catch {
            logger.error("the beginning of the session is not on disk", metadata: ["error": "\(error)"])
        }
    }

    /// Does what is due in this epoch's stay, and looks again when something else may be.
    func sessionTimerDue(in epoch: Epoch) throws {
        try look(at: epoch)
        lookAgain(epoch)
    }

    private func look(at epoch: Epoch) throws {
        guard sessionTimer?.epoch == epoch, let due = sessionTimer?.clock.due(at: moment, wall: clock.now()) else {
            return
        }
        switch due {
        case .warning(let seconds): tell(.idle(epoch: epoch, seconds: seconds))
        case .end(let trigger): try handle(.endWanted(newRequester { _ in }, trigger))
        }
    }

    private func lookAgain(_ epoch: Epoch) {
        guard let sessionTimer, sessionTimer.epoch == epoch, let pause = sessionTimer.clock.pause(at: moment) else {
            return
        }
        post(.sessionTimerDue(epoch), after: pause)
    }

    private var moment: Duration { clock.sinceBoot() }
}
