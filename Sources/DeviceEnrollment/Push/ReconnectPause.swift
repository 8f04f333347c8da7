// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt to reach a server: ever longer, and by chance, so that the devices of a ward
/// do not come back all at once.
package struct ReconnectPause: Sendable {
    /// Attempts in a row that came to nothing.
    private var failures = 0

    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60)
    /// A connection that lasted this long was a good one.
    private static let goodLife = Duration.seconds(10)

    package init() {}

    /// The pause after a connection that lasted `life`; between half of the longest there may be and all of it.
    package mutating func next<R: RandomNumberGenerator>(after life: Duration, random: inout R) -> Duration {
        failures = life >= Self.goodLife ? 1 : min(failures + 1, 16)
        let longest = min(Self.shortest * (1 << (failures - 1)), Self.longest)
        return longest * Double.random(in: 0.5...1, using: &random)
    }
}
