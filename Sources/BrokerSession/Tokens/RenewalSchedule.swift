// SPDX-License-Identifier: Apache-2.0

/// When a worker's PRT is renewed: after four hours, or when half of its life is over, whichever comes first.
package struct RenewalSchedule: Sendable, Equatable {
    /// When the token was given, in seconds since 1970.
    package let given: Int
    /// Seconds that the token lives if nobody renews it.
    package let lifetime: Int

    package init(given: Int, lifetime: Int) { (self.given, self.lifetime) = (given, lifetime) }

    private static let interval = 4 * 3600

    /// When to renew, in seconds since 1970.
    package var due: Int { given + min(Self.interval, max(0, lifetime) / 2) }

    /// Seconds to wait now. A clock that was set back does not put it off for ever, nor is anything waited for longer than
    /// an hour at a time: a machine that slept may have overslept.
    package func pause(at now: Int) -> Int { min(max(0, due - max(now, given)), 3600) }
}
