// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The rate at which something may fail: a burst, then one more failure per interval.
///
/// The only state is the time at which the last counted failure expires (the generic cell rate algorithm).
struct ThrottleRule: Sendable {
    let burst: Int
    let interval: Duration

    /// For a login name: ten wrong passwords, then one per five minutes.
    static let name = ThrottleRule(burst: 10, interval: .seconds(300))
    /// For an address, which many workers may share: a hundred wrong passwords, then one per six seconds.
    static let address = ThrottleRule(burst: 100, interval: .seconds(6))
    /// For one joined device: thirty wrong passwords, then one per twenty seconds. All names with which nobody has
    /// recently signed in on the device share this limit.
    static let device = ThrottleRule(burst: 30, interval: .seconds(20))

    /// Returns the time at which all failures will have expired if one more failure is counted; nil if the limit does
    /// not allow another failure.
    func counting(_ drained: Timestamp?, at now: Timestamp) -> Timestamp? {
        let next = max(drained ?? now, now) + interval
        return next <= now + interval * burst ? next : nil
    }
}
