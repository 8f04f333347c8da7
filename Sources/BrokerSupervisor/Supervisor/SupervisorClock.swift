// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Glibc
internal import Processes

/// The supervisor's sources of time: the date, durations, and timers.
package struct SupervisorClock: Sendable {
    /// Seconds since 1970.
    package let now: @Sendable () -> Int
    /// The current instant of a clock for measuring durations.
    package let moment: @Sendable () -> ContinuousClock.Instant
    /// The time since the machine was started, including sleep. It is the same in every process and cannot be set.
    package let sinceBoot: @Sendable () -> Duration
    /// Calls the closure once after this duration, on any thread.
    package let after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    /// Seconds after midnight in the device's time zone, for a number of seconds since 1970.
    package let secondOfDay: @Sendable (Int) -> Int

    package init(
        now: @escaping @Sendable () -> Int, moment: @escaping @Sendable () -> ContinuousClock.Instant,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
        sinceBoot: @escaping @Sendable () -> Duration = BootClock.now,
        secondOfDay: @escaping @Sendable (Int) -> Int = localSecondOfDay
    ) {
        self.now = now
        self.moment = moment
        self.after = after
        self.sinceBoot = sinceBoot
        self.secondOfDay = secondOfDay
    }

    /// The second of the day in the system's time zone.
    @Sendable package static func localSecondOfDay(_ seconds: Int) -> Int {
        var time = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe localtime_r(&time, &parts) != nil else { return ((seconds % 86_400) + 86_400) % 86_400 }
        return unsafe Int(parts.tm_hour) * 3600 + Int(parts.tm_min) * 60 + min(Int(parts.tm_sec), 59)
    }

    /// The machine's clocks.
    package static let system = SupervisorClock(
        now: { Int(Glibc.time(nil)) }, moment: { .now },
        after: { delay, body in
            let (seconds, rest) = delay.components
            let milliseconds = Int(seconds) * 1000 + Int(rest / 1_000_000_000_000_000)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
        })
}
