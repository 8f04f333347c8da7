// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging

/// The stay of a worker as it is kept for a restart of the supervisor; nothing of the worker is in it.
package struct StayRecord: Sendable, Codable, Equatable {
    let epoch: String
    let beginning: Stay.Beginning
    /// When the worker did something last, on the clock of ``Stay/Beginning/moment``; behind by a minute at most.
    let activity: Int
}

/// The doors by which a session ends without a word of anybody: idle time and the end of a shift.
extension Supervisor {
    /// Works out anew which doors there are: those of the device's own file, and what the MDM says of them.
    func readDoors() {
        let (now, refusal) = configuration.doors.followed(device.settings)
        if let refusal, refusal != doorRefusal {
            logger.error(
                "the doors that the MDM wants are refused, and the device's own hold",
                metadata: ["error.code": "\(refusal.code.rawValue)", "error.subject": "\(refusal.key)"])
        }
        (doors, doorRefusal) = (now, refusal)
    }

    /// Other doors hold for the worker who is here, too.
    func followDoors() throws {
        guard let epoch = stay?.epoch else { return }
        stay?.clock.follow(doors.stay, at: moment)
        try stayDue(in: epoch)
    }

    /// A session that goes on after a restart is as old as it is.
    func resumeStay() throws {
        guard let epoch = machine.state.heldEpoch else { return try files.removeStay() }
        let record = keptStay.flatMap { $0.epoch == epoch.description ? $0 : nil }
        if record == nil { logger.warning("nobody knows when this session's stay began") }
        let activity = record.map { Duration.seconds($0.activity) }
        stay = (epoch, Stay(doors.stay, resuming: record?.beginning, activity: activity, at: moment))
        stayRecord = record
        try stayDue(in: epoch)
    }

    /// What cannot be read is not known.
    private var keptStay: StayRecord? {
        do { return try files.stay() } catch {
            logger.error("the beginning of the stay cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// A stay begins with its session, and ends with it.
    func followStay() throws {
        guard let epoch = machine.state.heldEpoch else {
            if stay != nil { try files.removeStay() }
            (stay, stayRecord) = (nil, nil)
            return
        }
        guard stay?.epoch != epoch else { return }
        let wall = clock.now()
        let beginning = Stay.Beginning(
            moment: Int(moment.components.seconds), wall: wall, secondOfDay: clock.secondOfDay(wall))
        stay = (epoch, Stay(doors.stay, from: beginning))
        keep(StayRecord(epoch: epoch.description, beginning: beginning, activity: beginning.moment))
        lookAgain(epoch)
    }

    /// The worker of this epoch has done something.
    func activity(in epochText: String) throws {
        guard let epoch = stay?.epoch, epoch.description == epochText else { return }
        // A machine that slept may hear of a person before its timers: what was over then is over.
        try look(at: epoch)
        stay?.clock.activity(at: moment)
        guard let record = stayRecord, let last = stay?.clock.lastActivity.components.seconds,
            Int(last) - record.activity >= Self.activityGap
        else { return }
        keep(StayRecord(epoch: record.epoch, beginning: record.beginning, activity: Int(last)))
    }

    /// Seconds between two notes of what the worker did last.
    private static let activityGap = 60

    /// A disk that does not take it ends no session: after a restart less is known, and the stay is the shorter for it.
    private func keep(_ record: StayRecord) {
        stayRecord = record
        do { try files.write(record) } catch {
            logger.error("the beginning of the stay is not on disk", metadata: ["error": "\(error)"])
        }
    }

    /// Does what is due in this epoch's stay, and looks again when something else may be.
    func stayDue(in epoch: Epoch) throws {
        try look(at: epoch)
        lookAgain(epoch)
    }

    private func look(at epoch: Epoch) throws {
        guard stay?.epoch == epoch, let due = stay?.clock.due(at: moment, wall: clock.now()) else { return }
        switch due {
        case .warning(let seconds): tell(.idle(epoch: epoch.description, seconds: seconds))
        case .end(let door): try handle(.endWanted(newRequester { _ in }, door))
        }
    }

    private func lookAgain(_ epoch: Epoch) {
        guard let stay, stay.epoch == epoch, let pause = stay.clock.pause(at: moment) else { return }
        post(.stayDue(epoch), after: pause)
    }

    private var moment: Duration { clock.sinceBoot() }
}
