// SPDX-License-Identifier: Apache-2.0

/// The fixed paths through which apps find the broker of their device.
package enum WellKnownPath {
    /// The broker's socket.
    package static let brokerSocket = "/run/baton/broker.sock"
    /// The file that marks the device as managed, even while the broker is down.
    ///
    /// It is on disk, outside the broker's own folder, which no other user may enter.
    package static let managedMarker = "/var/lib/baton/public/managed"

    /// Returns the path of the file with the home screen's configuration that the MDM pushed, for a device with this
    /// managed marker.
    package static func homeScreen(beside marker: String) -> String {
        marker.prefix(through: marker.lastIndex(of: "/") ?? marker.startIndex) + "home-screen.json"
    }
}
