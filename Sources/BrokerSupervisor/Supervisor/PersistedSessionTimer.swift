// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Logging

/// The beginning of a worker's session, stored for a restart of the supervisor. It contains no data about the worker.
package struct SessionTimerRecord: Sendable, Codable, Equatable {
    let epoch: Epoch
    let beginning: SessionTimer.Beginning
    /// When the worker last did something, on the clock of ``SessionTimer/Beginning/moment``; out of date by at most a
    /// minute.
    let activity: Int
}

/// The timer of the current session, and its record on disk.
final class PersistedSessionTimer {
    private var running: (epoch: Epoch, timer: SessionTimer)?
    private var record: SessionTimerRecord?
    /// When the session of a worker who signed in offline ends, in seconds since the machine's start; nil if the
    /// session process has not reported it.
    private var offlineEnd: (seconds: Int, epoch: Epoch)?
    private let files: DeviceFiles
    private let clock: SupervisorClock
    private let inputs: InputTimer
    private let logger: Logger

    /// The minimum number of seconds between two writes of the last activity.
    private static let activityGap = 60

    init(files: DeviceFiles, clock: SupervisorClock, inputs: InputTimer, logger: Logger) {
        (self.files, self.clock, self.inputs, self.logger) = (files, clock, inputs, logger)
    }

    /// The epoch of the timed session; nil if nobody is signed in.
    var epoch: Epoch? { running?.epoch }

    /// The times of this epoch's session; nil if the timer does not run for that session.
    func times(of epoch: Epoch, _ unsaved: UnsavedWork) -> DeviceState.Session? {
        guard let timer = running?.timer, running?.epoch == epoch else { return nil }
        return DeviceState.Session(
            began: timer.beginning?.wall, shiftEnd: timer.shiftEnd.map { Int($0.components.seconds) },
            idleEnd: timer.warnedIdleEnd.map { Int($0.components.seconds) },
            offlineEnd: offlineEnd.flatMap { $0.epoch == epoch ? $0.seconds : nil },
            unsaved: unsaved.apps(in: epoch), saveEnd: unsaved.end(of: epoch).map { Int($0.components.seconds) })
    }

    /// Resumes the timer of this epoch's session after a restart of the supervisor.
    func resume(_ held: Epoch?, _ timeouts: SessionTimeouts) throws {
        guard let held else { return try files.removeSessionTimer() }
        record = stored.flatMap { $0.epoch == held ? $0 : nil }
        if record == nil { logger.warning("it is not known when this session began") }
        let activity = record.map { Duration.seconds($0.activity) }
        running = (
            held, SessionTimer(timeouts, resuming: record?.beginning, activity: activity, at: clock.sinceBoot())
        )
    }

    /// The stored record; nil if there is none or it cannot be read.
    private var stored: SessionTimerRecord? {
        do { return try files.sessionTimer() } catch {
            logger.error("the beginning of the session cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Starts the timer if the session of this epoch has just begun, and removes the timer if there is no session.
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

    /// Applies new timeouts to the current session.
    func follow(_ timeouts: SessionTimeouts) { running?.timer.follow(timeouts, at: clock.sinceBoot()) }

    /// Returns what is due now in the session of this epoch.
    func due(in epoch: Epoch) -> SessionTimer.Due? {
        guard running?.epoch == epoch else { return nil }
        return running?.timer.due(at: clock.sinceBoot(), wall: clock.now())
    }

    /// Records when this epoch's session ends, if its worker signed in offline. `end` is in seconds since the machine's
    /// start; nil after that worker has signed in with the server.
    func note(offlineEnd end: Int?, of epoch: Epoch) { offlineEnd = end.map { ($0, epoch) } }

    /// Records that the worker did something.
    func noteActivity() {
        running?.timer.activity(at: clock.sinceBoot())
        guard let record, let last = running?.timer.lastActivity.components.seconds,
            Int(last) - record.activity >= Self.activityGap
        else { return }
        keep(SessionTimerRecord(epoch: record.epoch, beginning: record.beginning, activity: Int(last)))
    }

    /// Stores the record. A failed write does not end the session, but after a restart the session may end earlier.
    private func keep(_ new: SessionTimerRecord) {
        record = new
        do { try files.write(new) } catch {
            logger.error("the beginning of the session is not on disk", metadata: ["error": "\(error)"])
        }
    }

    /// Posts ``SupervisorInput/sessionTimerDue(_:)`` for the next time at which something may be due.
    func lookAgain(at epoch: Epoch) {
        guard let running, running.epoch == epoch, let pause = running.timer.pause(at: clock.sinceBoot()) else {
            return
        }
        inputs.post(.sessionTimerDue(epoch), after: pause)
    }
}
