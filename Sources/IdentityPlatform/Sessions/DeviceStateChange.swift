// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The notice that the state of a device or of its session may have changed, so that the device should request it
/// again.
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
    /// Calls `observer` for every device that should request its state again. See ``Database/observe(_:)`` for the
    /// restrictions on observers.
    package func observeDevices(_ observer: @escaping @Sendable (DeviceStateChange) -> Void) {
        database.observe { announcement in
            if let change = announcement as? DeviceStateChange { observer(change) }
        }
    }
}
