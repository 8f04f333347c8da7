// SPDX-License-Identifier: Apache-2.0
package import Storage

/// A device should ask anew how it and its session stand: something that it goes by has changed, or may have.
///
/// Whatever ends a device's session or changes its standing announces this in the same transaction; it is told after the
/// commit, so that the device's question already finds the new state.
package struct DeviceStateChange: Announcement, Hashable {
    package let tenant: TenantID
    package let device: DeviceID

    package init(tenant: TenantID, device: DeviceID) {
        self.tenant = tenant
        self.device = device
    }
}

extension Platform {
    /// Tells `observer` of every device that should ask anew; see ``Database/observe(_:)`` for what it may do.
    package func observeDevices(_ observer: @escaping @Sendable (DeviceStateChange) -> Void) {
        database.observe { announcement in
            if let change = announcement as? DeviceStateChange { observer(change) }
        }
    }
}
