// SPDX-License-Identifier: Apache-2.0

/// How much time a device knows to have passed, over its starts: a pure account that is written down now and then.
///
/// The wall clock counts by its highest reading; what lies behind that was set back. Time powered on is exact within one
/// start of the machine; of a start that ended without a last entry, what came after the entry before is lost, which the
/// number of starts bounds.
package struct OfflineTime: Sendable, Codable, Equatable {
    /// A place in the account, from which a lease is measured.
    package struct Mark: Sendable, Codable, Equatable {
        /// Seconds powered on, summed over the starts.
        let powered: Int
        /// Starts of the machine.
        let boots: Int
    }

    /// The latest wall clock that was seen or that the server told, in seconds since 1970.
    package private(set) var highest: Int
    /// The wall clock was seen behind that; only the server's word makes it believable again.
    package private(set) var isSetBack = false
    private var boot: String
    private var lastSinceBoot: Int
    private var powered = 0
    private var boots = 0

    /// Seconds by which the wall clock may be behind: a time service sets it back by less now and then.
    package static let tolerance = 60

    package init(at moment: OfflineMoment) {
        highest = moment.wall
        boot = moment.boot
        lastSinceBoot = moment.sinceBoot
    }

    /// Takes the present moment into the account.
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

    /// Takes the server's clock for the truth: a wall clock that is right by it is believed again.
    ///
    /// - Parameter server: seconds since 1970.
    package mutating func trust(_ server: Int, at moment: OfflineMoment) {
        note(moment)
        highest = server
        isSetBack = moment.wall < server - Self.tolerance
        // Ahead of the server is late for a lease, and no way around its end.
        if !isSetBack { highest = max(server, moment.wall) }
    }

    /// Where the account stands.
    package var mark: Mark { Mark(powered: powered, boots: boots) }
}
