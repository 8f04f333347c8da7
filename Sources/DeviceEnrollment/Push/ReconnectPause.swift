// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt to reach a server. Pauses grow, and vary at random, so that the devices of
/// a ward do not all reconnect at once.
package struct ReconnectPause: Sendable {
    /// Failed attempts in a row.
    private var failures = 0

    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60)
    /// A connection that lasted this long counts as successful.
    private static let goodLife = Duration.seconds(10)

    package init() {}

    /// Returns the pause after a connection that lasted `life`: between half of the current maximum and all of it.
    package mutating func next<R: RandomNumberGenerator>(after life: Duration, random: inout R) -> Duration {
        failures = life >= Self.goodLife ? 1 : min(failures + 1, 16)
        let longest = min(Self.shortest * (1 << (failures - 1)), Self.longest)
        return longest * Double.random(in: 0.5...1, using: &random)
    }
}
