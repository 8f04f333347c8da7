// SPDX-License-Identifier: Apache-2.0

/// Limits a warning to one per minute, however often its cause occurs.
struct WarningPace {
    private static let pause = Duration.seconds(60)

    private var last: ContinuousClock.Instant?

    /// Whether the warning is due now; if so, the next one is due in a minute.
    mutating func isDue() -> Bool {
        let now = ContinuousClock.now
        if let last, last.duration(to: now) < Self.pause { return false }
        last = now
        return true
    }
}
