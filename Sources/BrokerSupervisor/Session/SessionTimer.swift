// SPDX-License-Identifier: Apache-2.0
package import DeviceSettings

/// Computes when a session ends automatically and why, and when to warn the worker. It does not read a clock.
///
/// Moments are durations since a fixed point of a clock that cannot be set and that keeps running while the machine
/// sleeps.
package struct SessionTimer: Sendable, Equatable {
    package enum Due: Sendable, Equatable {
        /// The idle time ends in this many seconds unless the person does something.
        case warning(seconds: Int)
        case end(SignOutTrigger)
    }

    /// When a session began. This record is kept across restarts of the supervisor, so that no restart prolongs a
    /// shift.
    package struct Beginning: Sendable, Codable, Equatable {
        /// Seconds on the clock that cannot be set.
        package let moment: Int
        /// Seconds since 1970.
        package let wall: Int
        /// Seconds after local midnight.
        package let secondOfDay: Int

        package init(moment: Int, wall: Int, secondOfDay: Int) {
            self.moment = moment
            self.wall = wall
            self.secondOfDay = secondOfDay
        }
    }

    private var rules: SessionTimeouts
    /// When the session began; nil if the record was lost.
    package let beginning: Beginning?
    package private(set) var lastActivity: Duration
    private var hasWarned = false

    /// Starts the timer of a session that begins now.
    package init(_ rules: SessionTimeouts, from beginning: Beginning) {
        self.rules = rules
        self.beginning = beginning
        lastActivity = .seconds(beginning.moment)
    }

    /// Resumes the timer of a session after a restart. The idle time never ends without a warning.
    ///
    /// - Parameters:
    ///   - beginning: when the session began; nil if unknown. In that case, if the rules limit shifts, the shift counts
    ///     as ended.
    ///   - activity: when the person last did something, if known.
    package init(_ rules: SessionTimeouts, resuming beginning: Beginning?, activity: Duration?, at now: Duration) {
        self.rules = rules
        self.beginning = beginning
        let warned = rules.warned(at: now)
        lastActivity = min(max(activity ?? warned, warned), now)
    }

    /// Applies new rules. The length of the shift is still measured from the session's beginning. The idle time never
    /// ends without a warning.
    package mutating func follow(_ new: SessionTimeouts, at now: Duration) {
        guard new != rules else { return }
        rules = new
        lastActivity = max(lastActivity, new.warned(at: now))
        hasWarned = false
    }

    /// Records that the person did something. Has no effect once the idle time is over.
    package mutating func activity(at now: Duration) {
        guard idleEnd.map({ now < $0 }) ?? true else { return }
        lastActivity = max(lastActivity, now)
        hasWarned = false
    }

    /// Returns what is due now; an end takes precedence over a warning.
    package mutating func due(at now: Duration, wall: Int) -> Due? {
        if let shiftEnd, now >= shiftEnd { return .end(.shiftEnd) }
        if let wallEnd, wall >= wallEnd { return .end(.shiftEnd) }
        guard let idleEnd else { return nil }
        if now >= idleEnd { return .end(.idle) }
        guard !hasWarned, now >= idleEnd - .seconds(rules.idleWarning) else { return nil }
        hasWarned = true
        // Timers fire slightly late, so round to the nearest second.
        return .warning(seconds: Int((idleEnd - now + .milliseconds(500)).components.seconds))
    }

    /// Returns the time until an end or a warning may become due; nil if neither can ever become due. The wall clock
    /// may be set in the meantime, so an end by the wall clock is checked again after 15 minutes at the latest.
    package func pause(at now: Duration) -> Duration? {
        let warning = idleEnd.map { $0 - .seconds(rules.idleWarning) }
        let look = wallEnd.map { _ in now + .seconds(900) }
        return [warning, idleEnd, shiftEnd, look].compactMap(\.self).filter { $0 > now }.min().map { $0 - now }
    }

    /// When the session ends unless the worker does something; nil before the warning.
    package var warnedIdleEnd: Duration? { hasWarned ? idleEnd : nil }

    private var idleEnd: Duration? { rules.idle > 0 ? lastActivity + .seconds(rules.idle) : nil }

    /// The end of the shift by the clock that cannot be set.
    package var shiftEnd: Duration? {
        guard let beginning else { return rules.hasShifts ? .zero : nil }
        let length = rules.shiftLength > 0 ? rules.shiftLength : nil
        let ends = [rules.secondsToShiftEnd(at: beginning.secondOfDay), length].compactMap(\.self)
        return ends.min().map { .seconds(beginning.moment + $0) }
    }

    /// The end of the shift by the wall clock, in seconds since 1970.
    private var wallEnd: Int? {
        beginning.flatMap { start in rules.secondsToShiftEnd(at: start.secondOfDay).map { start.wall + $0 } }
    }
}
