// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// How often something may fail: so many times at once, and one more each time an interval has passed.
///
/// The state is one time, when the last failure counted will have been forgiven (the generic cell rate algorithm).
struct ThrottleRule: Sendable {
    let burst: Int
    let interval: Duration

    /// One login name: ten wrong passwords, then one in five minutes.
    static let name = ThrottleRule(burst: 10, interval: .seconds(300))
    /// One address, behind which many workers may sit: a hundred, then one in six seconds.
    static let address = ThrottleRule(burst: 100, interval: .seconds(6))
    /// One joined device, for names that it does not know: thirty, then one in twenty seconds.
    static let device = ThrottleRule(burst: 30, interval: .seconds(20))

    /// When all is forgiven after one more failure; nil where that is one too many.
    func counting(_ drained: Timestamp?, at now: Timestamp) -> Timestamp? {
        let next = max(drained ?? now, now) + interval
        return next <= now + interval * burst ? next : nil
    }
}
