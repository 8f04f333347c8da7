// SPDX-License-Identifier: Apache-2.0

/// Access to the devices that the other engine knows, for a name that an engine does not know. Directory and device
/// management do not depend on each other.
package struct DeviceNeighbour: Sendable {
    /// Returns the devices with a name, at most ``AdminFailure/Candidates/limit``.
    ///
    /// - Parameter tenant: the tenant's id.
    package let devices: @Sendable (_ name: ObjectName, _ tenant: String) async throws -> [Device]

    package init(_ devices: @escaping @Sendable (_ name: ObjectName, _ tenant: String) async throws -> [Device]) {
        self.devices = devices
    }

    /// A device that the other engine knows.
    package struct Device: Sendable, Equatable {
        /// The device's name with its id, such as `cart (UDID 00008030)`.
        package let label: String
        /// The UDID, by which both engines know a device; nil if the device is not managed.
        package let udid: String?

        package init(label: String, udid: String?) { (self.label, self.udid) = (label, udid) }
    }
}
