// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Logging

/// The beginning of a worker's session as it is kept for a restart of the supervisor; nothing of the worker is in it.
package struct SessionTimerRecord: Sendable, Codable, Equatable {
    let epoch: Epoch
    let beginning: SessionTimer.Beginning
    /// When the worker did something last, on the clock of ``SessionTimer/Beginning/moment``; behind by a minute at most.
    let activity: Int
}

/// The timer of the session that is going on, and its record on disk.
final class PersistedSessionTimer {
    private var running: (epoch: Epoch, timer: SessionTimer)?
    private var record: SessionTimerRecord?
    private let files: DeviceFiles
    private let clock: SupervisorClock
    private let inputs: InputTimer
    private let logger: Logger

    /// Seconds between two writes of the time of the last activity.
    private static let activityGap = 60

    init(files: DeviceFiles, clock: SupervisorClock, inputs: InputTimer, logger: Logger) {
        (self.files, self.clock, self.inputs, self.logger) = (files, clock, inputs, logger)
    }

    /// The epoch of the session that is timed; nil where nobody is signed in.
    var epoch: Epoch? { running?.epoch }

    /// Goes on with the timer of the session of this epoch after a restart of the supervisor.
    func resume(_ held: Epoch?, _ timeouts: SessionTimeouts) throws {
        guard let held else { return try files.removeSessionTimer() }
        record = stored.flatMap { $0.epoch == held ? $0 : nil }
        if record == nil { logger.warning("it is not known when this session began") }
        let activity = record.map { Duration.seconds($0.activity) }
        running = (
            held, SessionTimer(timeouts, resuming: record?.beginning, activity: activity, at: clock.sinceBoot())
        )
    }

    /// What cannot be read is not known.
    private var stored: SessionTimerRecord? {
        do { return try files.sessionTimer() } catch {
            logger.error("the beginning of the session cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Begins with the session of this epoch, and ends with it.
    func follow(_ held: Epoch?, _ timeouts: SessionTimeouts) throws {
        guard let held else {
            if running != nil { try files.removeSessionTimer() }
            (running, record) = (nil, nil)
            return
        }
        guard running?.epoch != held else { return }
        let wall = clock.now()
        let beginning = SessionTimer.Beginning(
            moment: Int(clock.sinceBoot().components.seconds), wall: wall, secondOfDay: clock.secondOfDay(wall))
        running = (held, SessionTimer(timeouts, from: beginning))
        keep(SessionTimerRecord(epoch: held, beginning: beginning, activity: beginning.moment))
        lookAgain(at: held)
    }

    /// Applies other timeouts to the session that is going on.
    func follow(_ timeouts: SessionTimeouts) { running?.timer.follow(timeouts, at: clock.sinceBoot()) }

    /// What is due now in the session of this epoch.
    func due(in epoch: Epoch) -> SessionTimer.Due? {
        guard running?.epoch == epoch else { return nil }
        return running?.timer.due(at: clock.sinceBoot(), wall: clock.now())
    }

    /// The worker has done something.
    func noteActivity() {
        running?.timer.activity(at: clock.sinceBoot())
        guard let record, let last = running?.timer.lastActivity.components.seconds,
            Int(last) - record.activity >= Self.activityGap
        else { return }
        keep(SessionTimerRecord(epoch: record.epoch, beginning: record.beginning, activity: Int(last)))
    }

    /// A disk that does not take it ends no session: after a restart less is known, and the session may end earlier.
    private func keep(_ new: SessionTimerRecord) {
        record = new
        do { try files.write(new) } catch {
            logger.error("the beginning of the session is not on disk", metadata: ["error": "\(error)"])
        }
    }

    /// Posts ``SupervisorInput/sessionTimerDue(_:)`` for when something may be due.
    func lookAgain(at epoch: Epoch) {
        guard let running, running.epoch == epoch, let pause = running.timer.pause(at: clock.sinceBoot()) else {
            return
        }
        inputs.post(.sessionTimerDue(epoch), after: pause)
    }
}
