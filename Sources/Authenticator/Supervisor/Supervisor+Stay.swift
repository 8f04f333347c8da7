// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging

/// The doors by which a session ends without a word of anybody: idle time and the end of a shift.
extension Supervisor {
    /// A stay begins with its session, and ends with it.
    func followStay() {
        guard let epoch = machine.state.heldEpoch else { return stay = nil }
        guard stay?.epoch != epoch else { return }
        let wall = clock.now()
        stay = (
            epoch, Stay(configuration.doors.stay, from: moment, wall: wall, secondOfDay: clock.secondOfDay(wall))
        )
        lookAgain(epoch)
    }

    /// The worker of this epoch has done something.
    func activity(in epochText: String) throws {
        guard let epoch = stay?.epoch, epoch.description == epochText else { return }
        // A machine that slept may hear of a person before its timers: what was over then is over.
        try look(at: epoch)
        stay?.clock.activity(at: moment)
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

    private var moment: Duration { born.duration(to: clock.moment()) }
}
