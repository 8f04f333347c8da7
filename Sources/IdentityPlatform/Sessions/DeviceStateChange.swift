// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The notice that the state of a device or of its session may have changed, so the device should request its state
/// again.
///
/// A transaction that ends a device's session or changes a device's state makes this announcement. Observers are called
/// after the commit, so the device's request already sees the new state.
package struct DeviceStateChange: Announcement, Hashable {
    package let tenant: TenantID
    package let device: DeviceID

    package init(tenant: TenantID, device: DeviceID) {
        self.tenant = tenant
        self.device = device
    }

    package var message: AnnouncementMessage { AnnouncementMessage(kind: Self.kind, key: "\(tenant)/\(device)") }

    package init?(_ message: AnnouncementMessage) {
        let ids = message.key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard message.kind == Self.kind, ids.count == 2, let tenant = TenantID(rawValue: ids[0]),
            let device = DeviceID(rawValue: ids[1])
        else { return nil }
        self.init(tenant: tenant, device: device)
    }

    private static let kind = "device"
}

extension Platform {
    /// Calls `observer` for every device that should request its state again. A gap may concern every device. See
    /// ``Database/observe(_:)`` for the restrictions on observers.
    package func observeDevices(_ observer: @escaping @Sendable (Observation<DeviceStateChange>) -> Void) {
        database.observe(DeviceStateChange.self, observer)
    }
}
