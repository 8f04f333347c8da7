// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The state of a device or of its session has changed, or may have, so the device should ask for it again.
///
/// A change that ends a device's session or affects its state announces this in the same transaction. Observers are
/// called after the commit, so the device's request already sees the new state.
package struct DeviceStateChange: Announcement, Hashable {
    package let tenant: TenantID
    package let device: DeviceID

    package init(tenant: TenantID, device: DeviceID) {
        self.tenant = tenant
        self.device = device
    }
}

extension Platform {
    /// Calls `observer` with every device that should ask again. See ``Database/observe(_:)`` for the restrictions on
    /// observers.
    package func observeDevices(_ observer: @escaping @Sendable (DeviceStateChange) -> Void) {
        database.observe { announcement in
            if let change = announcement as? DeviceStateChange { observer(change) }
        }
    }
}
