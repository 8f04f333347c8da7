// SPDX-License-Identifier: Apache-2.0

/// The device's registration with an organisation.
#if canImport(ObjectiveC)
    @objc(MSALWPJMetaData) @objcMembers
#endif
open class MSALWPJMetaData: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; everything in it is constant.

    private let extra: [String: String]

    init(extra: [String: String]) { self.extra = extra }

    /// Strings under `aadDeviceIdentifier`, `aadTenantIdentifier` and `userPrincipalName`; empty if the device is not
    /// registered (DEV-11).
    ///
    /// A shared device registers itself, so it has no user name.
    open var extraDeviceInformation: [AnyHashable: Any] { extra }
}

extension MSALWPJMetaData {
    /// Takes the registration from `device` if it is with `tenant`; nil accepts any tenant.
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
    /// An empty mirror, so that dumping a registration into a log reveals no name.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
