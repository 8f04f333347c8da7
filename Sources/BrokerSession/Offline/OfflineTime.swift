// SPDX-License-Identifier: Apache-2.0

/// The device's record of time: how much time has passed, across restarts of the machine. It is a pure value that is
/// written to disk regularly.
///
/// The record keeps the highest reading of the wall clock; a lower reading means that the clock was set back. While the
/// machine runs, powered-on time is counted exactly. If the machine stops without a last entry, the time since the
/// previous entry is lost; the limit on the number of boots bounds that loss.
package struct OfflineTime: Sendable, Codable, Equatable {
    /// A position in the record. The limits of a lease are measured from it.
    package struct Mark: Sendable, Codable, Equatable {
        /// Seconds powered on, summed over all boots.
        let powered: Int
        /// The number of restarts of the machine.
        let boots: Int
    }

    /// The latest time that the wall clock has shown or that the server has reported, in seconds since 1970.
    package private(set) var highest: Int
    /// Whether the wall clock was once more than ``tolerance`` behind ``highest``. Only the server's time can make this
    /// false again.
    package private(set) var isSetBack = false
    private var boot: String
    private var lastSinceBoot: Int
    private var powered = 0
    private var boots = 0

    /// Seconds by which the wall clock may lag behind ``highest``, because time services set the clock back by small
    /// amounts.
    package static let tolerance = 60

    package init(at moment: OfflineMoment) {
        highest = moment.wall
        boot = moment.boot
        lastSinceBoot = moment.sinceBoot
    }

    /// Adds the current moment to the record.
    package mutating func note(_ moment: OfflineMoment) {
        if moment.boot == boot {
            powered += max(0, moment.sinceBoot - lastSinceBoot)
            lastSinceBoot = max(lastSinceBoot, moment.sinceBoot)
        } else {
            boots += 1
            powered += max(0, moment.sinceBoot)
            (boot, lastSinceBoot) = (moment.boot, moment.sinceBoot)
        }
        if moment.wall < highest - Self.tolerance { isSetBack = true }
        highest = max(highest, moment.wall)
    }

    /// Adopts the server's time. The wall clock is trusted again if it agrees with the server.
    ///
    /// - Parameter server: seconds since 1970.
    package mutating func trust(_ server: Int, at moment: OfflineMoment) {
        note(moment)
        highest = server
        isSetBack = moment.wall < server - Self.tolerance
        // A clock ahead of the server only ends leases earlier; it cannot extend them.
        if !isSetBack { highest = max(server, moment.wall) }
    }

    /// The current position in the record.
    package var mark: Mark { Mark(powered: powered, boots: boots) }
}
