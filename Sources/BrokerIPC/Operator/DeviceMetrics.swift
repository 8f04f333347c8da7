// SPDX-License-Identifier: Apache-2.0

/// What the broker has counted since it started, for operators. Every key is from a closed set, and nothing identifies
/// a worker, an app or the device.
package struct DeviceMetrics: Sendable, Codable, Equatable {
    package enum SignInOutcome: String, Sendable, Codable, CaseIterable {
        /// A person began to sign in: a worker, or an administrator who joins the device.
        case admitted
        /// A worker has signed in.
        case succeeded
        /// The attempt ended before anybody had signed in. Every administrator's attempt ends in this way.
        case failed
    }

    /// The distribution of durations.
    package struct Histogram: Sendable, Codable, Equatable {
        /// The upper bounds of the buckets in seconds, ascending.
        package let bounds: [Double]
        /// The number of durations in each bucket, followed by the number of durations above every bound.
        package private(set) var counts: [UInt64]
        /// The sum of all durations in seconds.
        package private(set) var sum = 0.0

        package init(bounds: [Double]) {
            (self.bounds, counts) = (bounds, [UInt64](repeating: 0, count: bounds.count + 1))
        }

        package mutating func add(_ duration: Duration) {
            let (seconds, attoseconds) = duration.components
            let value = Double(seconds) + Double(attoseconds) / 1e18
            counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
            sum += value
        }
    }

    /// Sign-ins, by ``SignInOutcome``.
    package var signIns: [String: Int] = [:]
    /// Ended sessions and sign-in attempts, by trigger.
    package var ends: [String: Int] = [:]
    /// The time from the commit of a session's end until the device is ready for the next worker.
    package var handovers = Histogram(bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60])
    /// Requests of apps, by operation.
    package var requests: [String: Int] = [:]
    /// Requests of apps that were answered with an error, by the error's number.
    package var errors: [String: Int] = [:]
    /// Connections that apps opened, and connections that were refused or ended because of a limit.
    package var connectionsOpened = 0
    package var connectionsLimited = 0
    /// The connections that are open now.
    package var connectionsOpen = 0
    /// The resident memory in bytes of each process, by `supervisor` and `session`.
    package var memory: [String: Int] = [:]
    /// The current state of the session and of the device's mode, as in ``DeviceStatus``.
    package var session = ""
    package var mode = ""
    /// When the broker started, in seconds since 1970.
    package var started = 0

    package init() {}
}
