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

        package init(
            deviceID: String, id: String, displayName: String, operatingSystem: String,
            operatingSystemVersion: String, trustType: String, profileType: String, accountEnabled: Bool,
            isManaged: Bool, udid: String?, registeredAt: Int64, aheadAt: Int64? = nil
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
        }
    }

    /// A change to a device. The sessions of a disabled device end at once.
    package struct DeviceChange: Codable, Sendable {
        package var accountEnabled: Bool

        package init(accountEnabled: Bool) { self.accountEnabled = accountEnabled }
    }
}
