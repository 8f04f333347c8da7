// SPDX-License-Identifier: Apache-2.0

/// Computes the pause before a process that died is restarted: none at first, then growing, so that a process that
/// keeps dying does not keep the device busy.
package struct RestartPause: Sendable {
    /// The number of deaths in a row.
    private var deaths = 0

    /// After a process that ran for at least this long, the count of consecutive deaths starts again.
    private static let longLife = Duration.seconds(10)
    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(5)

    package init() {}

    /// Records the death of a process that ran for `life`, and returns the pause before the next start.
    package mutating func next(after life: Duration) -> Duration {
        deaths = life >= Self.longLife ? 1 : min(deaths + 1, 16)
        guard deaths > 1 else { return .zero }
        return min(Self.shortest * (1 << (deaths - 2)), Self.longest)
    }
}
