// SPDX-License-Identifier: Apache-2.0

/// How long a worker may stay signed in.
package struct SessionTimeouts: Sendable, Codable, Equatable {
    /// Seconds without activity after which the session ends; 0 for never.
    package var idle: Int
    /// The seconds between the warning to apps and that end.
    package var idleWarning: Int
    /// How many seconds after the sign-in the shift ends; 0 for never.
    package var shiftLength: Int
    /// Minutes after midnight, by the device's clock and time zone, at which shifts end.
    package var shiftEnds: [Int]

    package static let standard = SessionTimeouts(idle: 900, idleWarning: 60, shiftLength: 0, shiftEnds: [])

    package init(idle: Int, idleWarning: Int, shiftLength: Int, shiftEnds: [Int]) {
        self.idle = idle
        self.idleWarning = idleWarning
        self.shiftLength = shiftLength
        self.shiftEnds = shiftEnds
    }

    /// Whether a session ends at some time even if its worker stays active.
    package var hasShifts: Bool { shiftLength > 0 || !shiftEnds.isEmpty }

    /// Returns the time of the last activity for which the warning is due exactly at `now`. If the last activity was
    /// earlier, the warning is overdue.
    package func warned(at now: Duration) -> Duration { now - .seconds(max(0, idle - idleWarning)) }

    private static let day = 24 * 60 * 60

    /// Returns the seconds from a time of day (in seconds after midnight) to the next end of a shift; nil if no end is
    /// set.
    ///
    /// A shift end at exactly this second counts as tomorrow's shift end: a worker who signs in now has a whole shift
    /// ahead.
    package func secondsToShiftEnd(at secondOfDay: Int) -> Int? {
        shiftEnds.map { minute in
            let ahead = (minute * 60 - secondOfDay) % Self.day
            return ahead > 0 ? ahead : ahead + Self.day
        }.min()
    }
}
