// SPDX-License-Identifier: Apache-2.0

/// The device's registration with an organisation.
#if canImport(ObjectiveC)
    @objc(MSALWPJMetaData) @objcMembers
#endif
open class MSALWPJMetaData: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; everything in it is constant texts.

    private let extra: [String: String]

    init(extra: [String: String]) { self.extra = extra }

    /// Texts under `aadDeviceIdentifier`, `aadTenantIdentifier` and `userPrincipalName`; empty for a device that is not
    /// registered (DEV-11).
    ///
    /// A shared device is registered by itself, so that no user's name is there.
    open var extraDeviceInformation: [AnyHashable: Any] { extra }
}

extension MSALWPJMetaData {
    /// The registration that the device's information tells of, where it is one with `tenant`; nil asks for any.
    convenience init(_ device: MSALDeviceInformation, tenant: String?) {
        let known = device.extraDeviceInformation
        let actual = known[MSAL_PRIMARY_REGISTRATION_TENANT_ID] as? String
        guard tenant == nil || tenant?.lowercased() == actual?.lowercased() else {
            self.init(extra: [:])
            return
        }
        var extra: [String: String] = [:]
        extra["aadDeviceIdentifier"] = known[MSAL_PRIMARY_REGISTRATION_DEVICE_ID] as? String
        extra["aadTenantIdentifier"] = actual
        extra["userPrincipalName"] = known[MSAL_PRIMARY_REGISTRATION_UPN] as? String
        self.init(extra: extra)
    }
}

extension MSALWPJMetaData: CustomReflectable {
    /// Shows nothing, so that dumping a registration into a log names nobody.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
