// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable, ColumnValue {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The current time by the machine's clock.
    package static var now: Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(rawValue: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package init(seconds: Int64) { self.init(rawValue: seconds * 1000) }

    /// Whole seconds since 1970-01-01T00:00:00Z, the unit of times in tokens (RFC 7519, NumericDate).
    package var seconds: Int64 { rawValue / 1000 }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

    package static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(rawValue: time.rawValue + duration.milliseconds)
    }

    package static func - (time: Timestamp, duration: Duration) -> Timestamp { time + (.zero - duration) }

    /// How much later `left` is than `right`.
    package static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.rawValue - right.rawValue)
    }
}

extension Duration {
    /// Whole milliseconds.
    package var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
