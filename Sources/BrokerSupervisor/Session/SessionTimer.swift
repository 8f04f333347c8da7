// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice

/// Computes when a session ends by itself: when to warn the worker, when to end it, and why. It has no clock of its own.
///
/// Moments count from any fixed one on a clock that does not stand still while the machine sleeps and cannot be set.
package struct SessionTimer: Sendable, Equatable {
    package enum Due: Sendable, Equatable {
        /// The idle time ends after these seconds, unless the person does something.
        case warning(seconds: Int)
        case end(SignOutTrigger)
    }

    /// When a session began: what outlives a restart of the supervisor, so that none lengthens a shift.
    package struct Beginning: Sendable, Codable, Equatable {
        /// Seconds on the clock that cannot be set.
        package let moment: Int
        /// Seconds since 1970.
        package let wall: Int
        /// Seconds after midnight where the device is.
        package let secondOfDay: Int

        package init(moment: Int, wall: Int, secondOfDay: Int) {
            self.moment = moment
            self.wall = wall
            self.secondOfDay = secondOfDay
        }
    }

    private var rules: SessionTimeouts
    /// Nil where nobody knows it any more.
    private let beginning: Beginning?
    package private(set) var lastActivity: Duration
    private var hasWarned = false

    /// A stay that begins now.
    package init(_ rules: SessionTimeouts, from beginning: Beginning) {
        self.rules = rules
        self.beginning = beginning
        lastActivity = .seconds(beginning.moment)
    }

    /// A stay that goes on after a restart. Nobody's idle time ends without a warning.
    ///
    /// - Parameters:
    ///   - beginning: nil where it is not known: a shift with an end has ended then.
    ///   - activity: when the person did something last, as far as that is known.
    package init(_ rules: SessionTimeouts, resuming beginning: Beginning?, activity: Duration?, at now: Duration) {
        self.rules = rules
        self.beginning = beginning
        let warned = rules.warned(at: now)
        lastActivity = min(max(activity ?? warned, warned), now)
    }

    /// Other rules hold from now on, for the shift since its beginning; nobody's idle time ends without a warning.
    package mutating func follow(_ new: SessionTimeouts, at now: Duration) {
        guard new != rules else { return }
        rules = new
        lastActivity = max(lastActivity, new.warned(at: now))
        hasWarned = false
    }

    /// The person has done something. What comes when the idle time is over already does not undo that.
    package mutating func activity(at now: Duration) {
        guard idleEnd.map({ now < $0 }) ?? true else { return }
        lastActivity = max(lastActivity, now)
        hasWarned = false
    }

    /// What is due now; an end before everything else.
    package mutating func due(at now: Duration, wall: Int) -> Due? {
        if let shiftEnd, now >= shiftEnd { return .end(.shiftEnd) }
        if let wallEnd, wall >= wallEnd { return .end(.shiftEnd) }
        guard let idleEnd else { return nil }
        if now >= idleEnd { return .end(.idle) }
        guard !hasWarned, now >= idleEnd - .seconds(rules.idleWarning) else { return nil }
        hasWarned = true
        // A timer is always a moment late.
        return .warning(seconds: Int((idleEnd - now + .milliseconds(500)).components.seconds))
    }

    /// How long nothing can become due; nil where nothing ever does. The wall clock may be set meanwhile, so that it is
    /// looked at again after a quarter of an hour.
    package func pause(at now: Duration) -> Duration? {
        let warning = idleEnd.map { $0 - .seconds(rules.idleWarning) }
        let look = wallEnd.map { _ in now + .seconds(900) }
        return [warning, idleEnd, shiftEnd, look].compactMap(\.self).filter { $0 > now }.min().map { $0 - now }
    }

    private var idleEnd: Duration? { rules.idle > 0 ? lastActivity + .seconds(rules.idle) : nil }

    /// When the shift ends, by the clock that cannot be set.
    private var shiftEnd: Duration? {
        guard let beginning else { return rules.hasShifts ? .zero : nil }
        let length = rules.shiftLength > 0 ? rules.shiftLength : nil
        let ends = [rules.secondsToShiftEnd(at: beginning.secondOfDay), length].compactMap(\.self)
        return ends.min().map { .seconds(beginning.moment + $0) }
    }

    /// When it ends by the wall clock, in seconds since 1970.
    private var wallEnd: Int? {
        beginning.flatMap { start in rules.secondsToShiftEnd(at: start.secondOfDay).map { start.wall + $0 } }
    }
}
