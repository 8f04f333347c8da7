// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// A registered device.
    package struct Device: Codable, Sendable, Equatable {
        /// The device id in its certificate and in tokens.
        package let deviceID: String
        /// The device's object id in the directory.
        package let id: String
        package let displayName: String
        package let operatingSystem: String
        package let operatingSystemVersion: String
        /// `AzureAd` for a joined device, `Workplace` for a registered one.
        package let trustType: String
        /// `Shared` or `RegisteredDevice`.
        package let profileType: String
        package let accountEnabled: Bool
        package let isManaged: Bool
        /// The device's UDID in device management; nil if the device is not managed.
        package let udid: String?
        /// Milliseconds since 1970.
        package let registeredAt: Int64
        /// When the device was first found to be ahead of a restored database, in milliseconds since 1970; nil if it
        /// was never found to be ahead.
        package let aheadAt: Int64?
        /// The names of the groups that the device is in, sorted.
        package let groups: [String]

        package init(
            deviceID: String, id: String, displayName: String, operatingSystem: String,
            operatingSystemVersion: String, trustType: String, profileType: String, accountEnabled: Bool,
            isManaged: Bool, udid: String?, registeredAt: Int64, aheadAt: Int64? = nil, groups: [String] = []
        ) {
            self.deviceID = deviceID
            self.id = id
            self.displayName = displayName
            self.operatingSystem = operatingSystem
            self.operatingSystemVersion = operatingSystemVersion
            self.trustType = trustType
            self.profileType = profileType
            self.accountEnabled = accountEnabled
            self.isManaged = isManaged
            self.udid = udid
            self.registeredAt = registeredAt
            self.aheadAt = aheadAt
            self.groups = groups
        }
    }

    /// A change to a device. The sessions of a disabled device end at once.
    package struct DeviceChange: Codable, Sendable {
        package var accountEnabled: Bool

        package init(accountEnabled: Bool) { self.accountEnabled = accountEnabled }
    }
}

/// The operations on the directory's devices.
extension IdentityAdmin {
    package static let listDevices = Endpoint<Empty, [Device]>(
        "listDevices", .get("/identity/tenants/{tenant}/devices"), query: QueryParameter.pagingByName,
        by: .roles(
            .globalAdministrator, .globalReader, .cloudDeviceAdministrator, .intuneAdministrator,
            .helpdeskAdministrator, permission: "Device.Read.All"),
        effect: .reading,
        summary: "Lists the devices of the directory.",
        details: "`aheadAt` is present if the device was found to be ahead of a restored database.")

    package static let getDevice = Endpoint<Empty, Device>(
        "getDevice", .get("/identity/tenants/{tenant}/devices/{device}"),
        by: .roles(
            .globalAdministrator, .globalReader, .cloudDeviceAdministrator, .intuneAdministrator,
            .helpdeskAdministrator, permission: "Device.Read.All"),
        effect: .reading,
        summary: "Returns a device of the directory.")

    package static let changeDevice = Endpoint<DeviceChange, Empty>(
        "changeDevice", .patch("/identity/tenants/{tenant}/devices/{device}"),
        by: .roles(
            .globalAdministrator, .cloudDeviceAdministrator, .intuneAdministrator, permission: "Device.ReadWrite.All"),
        effect: .change("device.disable", "device.enable"),
        summary: "Enables or disables a device; the sessions of a disabled device end at once.")

    package static let removeDevice = Endpoint<Empty, Empty>(
        "removeDevice", .delete("/identity/tenants/{tenant}/devices/{device}"),
        by: .roles(
            .globalAdministrator, .cloudDeviceAdministrator, .intuneAdministrator, permission: "Device.ReadWrite.All"),
        effect: .danger("device.remove"),
        summary: "Removes a device from the directory; its sessions end at once.")
}
