// SPDX-License-Identifier: Apache-2.0

/// When a worker's PRT is renewed: after four hours, or after half of its lifetime, whichever comes first.
package struct RenewalSchedule: Sendable, Equatable {
    /// When the token was issued, in seconds since 1970.
    package let given: Int
    /// The token's lifetime in seconds without renewal.
    package let lifetime: Int

    package init(given: Int, lifetime: Int) { (self.given, self.lifetime) = (given, lifetime) }

    private static let interval = 4 * 3600

    /// When to renew, in seconds since 1970.
    package var due: Int { given + min(Self.interval, max(0, lifetime) / 2) }

    /// Returns the seconds to wait from now: at most an hour, because the machine may sleep meanwhile. A clock that was
    /// set back does not postpone the renewal forever.
    package func pause(at now: Int) -> Int { min(max(0, due - max(now, given)), 3600) }
}
