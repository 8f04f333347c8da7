// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// How often something may fail: a burst, then one more failure per interval.
///
/// The state is a single time: when the last counted failure expires (the generic cell rate algorithm).
struct ThrottleRule: Sendable {
    let burst: Int
    let interval: Duration

    /// For a login name: ten wrong passwords, then one per five minutes.
    static let name = ThrottleRule(burst: 10, interval: .seconds(300))
    /// For an address, which many workers may share: a hundred, then one per six seconds.
    static let address = ThrottleRule(burst: 100, interval: .seconds(6))
    /// For a joined device, for names that it does not know: thirty, then one per twenty seconds.
    static let device = ThrottleRule(burst: 30, interval: .seconds(20))

    /// Returns when all failures will have expired after one more; nil if that failure is one too many.
    func counting(_ drained: Timestamp?, at now: Timestamp) -> Timestamp? {
        let next = max(drained ?? now, now) + interval
        return next <= now + interval * burst ? next : nil
    }
}
