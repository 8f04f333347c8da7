// SPDX-License-Identifier: Apache-2.0

/// Where apps find the broker of their device without being told.
package enum WellKnownPath {
    /// The broker's socket.
    package static let brokerSocket = "/run/baton/broker.sock"
    /// The file whose presence says that the device is managed, also while the broker is down.
    ///
    /// It lies on a disk and beside the broker's own folder, which nobody else may enter.
    package static let managedMarker = "/var/lib/baton/public/managed"
}
