// SPDX-License-Identifier: Apache-2.0
package import Files

extension DeviceFiles {
    /// Offline leases and the account of time, sealed; there is nothing in it where no policy gave a lease.
    package var offline: Directory { root.appending("offline") }
}
