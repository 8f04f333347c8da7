// SPDX-License-Identifier: Apache-2.0

/// One worker's stay at the device as a pure clock: when to warn them, when to end it, and by which door.
///
/// Moments count from any fixed one on a clock that does not stand still while the machine sleeps and cannot be set.
package struct Stay: Sendable, Equatable {
    package enum Due: Sendable, Equatable {
        /// The idle time ends after these seconds, unless the person does something.
        case warning(seconds: Int)
        case end(Door)
    }

    private let rules: StayRules
    private var lastActivity: Duration
    private var hasWarned = false
    /// When the shift ends, by the clock that cannot be set.
    private let shiftEnd: Duration?
    /// When it ends by the wall clock, in seconds since 1970.
    private let wallEnd: Int?

    /// A stay that begins now.
    ///
    /// - Parameters:
    ///   - wall: seconds since 1970.
    ///   - secondOfDay: seconds after midnight where the device is.
    package init(_ rules: StayRules, from now: Duration, wall: Int, secondOfDay: Int) {
        self.rules = rules
        lastActivity = now
        let toClock = rules.secondsToShiftEnd(at: secondOfDay)
        let length = rules.shiftLength > 0 ? rules.shiftLength : nil
        shiftEnd = [toClock, length].compactMap(\.self).min().map { now + .seconds($0) }
        wallEnd = toClock.map { wall + $0 }
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
        return .warning(seconds: Int((idleEnd - now).components.seconds))
    }

    /// How long nothing can become due; nil where nothing ever does. The wall clock may be set meanwhile, so that it is
    /// looked at again after a quarter of an hour.
    package func pause(at now: Duration) -> Duration? {
        let warning = hasWarned ? nil : idleEnd.map { $0 - .seconds(rules.idleWarning) }
        let look = wallEnd.map { _ in now + .seconds(900) }
        return [warning, idleEnd, shiftEnd, look].compactMap(\.self).filter { $0 > now }.min().map { $0 - now }
    }

    private var idleEnd: Duration? { rules.idle > 0 ? lastActivity + .seconds(rules.idle) : nil }
}
