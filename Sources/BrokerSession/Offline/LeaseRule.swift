// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// Whether a lease still lets its worker in, by the device's own account of time.
package enum LeaseRule {
    /// What ended it.
    package enum End: String, Sendable, Equatable, CaseIterable {
        /// The signed end by the wall clock has come.
        case wallClock = "wall-clock"
        /// The device has been powered on for as long as it may.
        case poweredTime = "powered-time"
        /// It has been started as often as it may.
        case boots
    }

    /// The first end that has come; nil while the lease holds.
    ///
    /// - Parameters:
    ///   - since: the account when the device was given the lease.
    ///   - time: the account, with the present moment in it.
    package static func end(of lease: OfflineLease, since: OfflineTime.Mark, by time: OfflineTime) -> End? {
        if time.highest >= lease.ends { return .wallClock }
        let now = time.mark
        // An account that has become less is none: it was put back.
        guard now.powered >= since.powered, now.powered - since.powered < lease.limits.poweredSeconds else {
            return .poweredTime
        }
        guard now.boots >= since.boots, now.boots - since.boots <= lease.limits.boots else { return .boots }
        return nil
    }

    /// Whether anybody may sign in offline at all: not while the wall clock is behind what was seen already.
    package static func mayBegin(by time: OfflineTime) -> Bool { !time.isSetBack }
}
