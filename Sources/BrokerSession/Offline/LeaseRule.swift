// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// Decides whether a lease is still valid, from the device's own record of time.
package enum LeaseRule {
    /// Why a lease ended.
    package enum End: String, Sendable, Equatable, CaseIterable {
        /// The wall clock has reached the lease's signed end.
        case wallClock = "wall-clock"
        /// The device has been powered on for longer than the lease allows.
        case poweredTime = "powered-time"
        /// The device has been started more often than the lease allows.
        case boots
    }

    /// Returns the first reason for which the lease has ended; nil while it is valid.
    ///
    /// - Parameters:
    ///   - since: the position in the record of time at which the device received the lease.
    ///   - time: the current record of time.
    package static func end(of lease: OfflineLease, since: OfflineTime.Mark, by time: OfflineTime) -> End? {
        if time.highest >= lease.ends { return .wallClock }
        let now = time.mark
        // If a count has decreased, an older copy of the record was restored: the lease has ended.
        guard now.powered >= since.powered, now.powered - since.powered < lease.limits.poweredSeconds else {
            return .poweredTime
        }
        guard now.boots >= since.boots, now.boots - since.boots <= lease.limits.boots else { return .boots }
        return nil
    }

    /// Returns the seconds until a valid lease ends, if the device stays powered on and its clock is not set.
    package static func remaining(of lease: OfflineLease, since: OfflineTime.Mark, by time: OfflineTime) -> Int {
        max(0, min(lease.ends - time.highest, lease.limits.poweredSeconds - (time.mark.powered - since.powered)))
    }

    /// Whether anyone may sign in offline. Nobody may if the wall clock was set back.
    package static func mayBegin(by time: OfflineTime) -> Bool { !time.isSetBack }
}
