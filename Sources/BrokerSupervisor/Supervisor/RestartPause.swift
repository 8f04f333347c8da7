// SPDX-License-Identifier: Apache-2.0

/// How long to wait before a process that died is started again: not at all at first, then ever longer, so that one that
/// cannot live does not keep the device busy.
package struct RestartPause: Sendable {
    /// Deaths in a row.
    private var deaths = 0

    /// A process that lived this long was well.
    private static let longLife = Duration.seconds(10)
    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(5)

    package init() {}

    /// Notes the death of a process after this life, and gives the pause before the next one.
    package mutating func next(after life: Duration) -> Duration {
        deaths = life >= Self.longLife ? 1 : min(deaths + 1, 16)
        guard deaths > 1 else { return .zero }
        return min(Self.shortest * (1 << (deaths - 2)), Self.longest)
    }
}
