// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Glibc

/// What the supervisor knows of time: the date, how long something lasted, and when to look again.
package struct SupervisorClock: Sendable {
    /// Seconds since 1970.
    package let now: @Sendable () -> Int
    /// A moment to measure from.
    package let moment: @Sendable () -> ContinuousClock.Instant
    /// Calls the closure once, after this long, from any thread.
    package let after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    package init(
        now: @escaping @Sendable () -> Int, moment: @escaping @Sendable () -> ContinuousClock.Instant,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    ) {
        self.now = now
        self.moment = moment
        self.after = after
    }

    /// The machine's own.
    package static let system = SupervisorClock(
        now: { Int(Glibc.time(nil)) }, moment: { .now },
        after: { delay, body in
            let (seconds, rest) = delay.components
            let milliseconds = Int(seconds) * 1000 + Int(rest / 1_000_000_000_000_000)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
        })
}
