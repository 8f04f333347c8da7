// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable, ColumnValue {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package init(seconds: Int64) { self.init(rawValue: seconds * 1000) }

    /// Whole seconds since the epoch, as tokens state them (RFC 7519, NumericDate).
    package var seconds: Int64 { rawValue / 1000 }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

    package static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(rawValue: time.rawValue + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    package static func - (time: Timestamp, duration: Duration) -> Timestamp { time + (.zero - duration) }
}
