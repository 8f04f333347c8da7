// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// Decides whether a lease is still valid, by the device's own account of time.
package enum LeaseRule {
    /// Why a lease ended.
    package enum End: String, Sendable, Equatable, CaseIterable {
        /// The signed end by the wall clock has passed.
        case wallClock = "wall-clock"
        /// The device has been powered on for longer than the lease allows.
        case poweredTime = "powered-time"
        /// The device has been started more often than the lease allows.
        case boots
    }

    /// Returns the first reason for which the lease has ended; nil while it is valid.
    ///
    /// - Parameters:
    ///   - since: the account of time when the device received the lease.
    ///   - time: the current account of time.
    package static func end(of lease: OfflineLease, since: OfflineTime.Mark, by time: OfflineTime) -> End? {
        if time.highest >= lease.ends { return .wallClock }
        let now = time.mark
        // If the account has decreased, an older one was put back; the lease has ended.
        guard now.powered >= since.powered, now.powered - since.powered < lease.limits.poweredSeconds else {
            return .poweredTime
        }
        guard now.boots >= since.boots, now.boots - since.boots <= lease.limits.boots else { return .boots }
        return nil
    }

    /// Whether anyone may sign in offline: not while the wall clock is behind a time that was already seen.
    package static func mayBegin(by time: OfflineTime) -> Bool { !time.isSetBack }
}
