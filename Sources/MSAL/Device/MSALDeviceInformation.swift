// SPDX-License-Identifier: Apache-2.0

/// Information about the device.
#if canImport(ObjectiveC)
    @objc(MSALDeviceInformation) @objcMembers
#endif
open class MSALDeviceInformation: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after initialization.

    /// Whether workers share the device.
    open private(set) var deviceMode: MSALDeviceMode
    /// The authentication method that the organisation prefers (DEV-8).
    open private(set) var configuredPreferredAuthMethod: MSALPreferredAuthMethod
    /// Whether a broker answered on this device (DEV-7).
    open private(set) var hasAADSSOExtension: Bool
    private let extra: [String: String]

    init(
        deviceMode: MSALDeviceMode, extra: [String: String],
        configuredPreferredAuthMethod: MSALPreferredAuthMethod = .none, hasAADSSOExtension: Bool = false
    ) {
        self.deviceMode = deviceMode
        self.extra = extra
        self.configuredPreferredAuthMethod = configuredPreferredAuthMethod
        self.hasAADSSOExtension = hasAADSSOExtension
    }

    /// Makes the information of a personal device without a broker: the default mode and nothing else.
    public convenience override init() { self.init(deviceMode: .default, extra: [:]) }

    /// The device's registration and the reason for its mode; keys and values are strings (DEV-5, DEV-6).
    ///
    /// The keys are ``MSAL_PRIMARY_REGISTRATION_DEVICE_ID`` and the other registration keys,
    /// `isSSOExtensionInFullMode`, `baton_device_mode_reason` (a stable code), the key for the broker's version, and
    /// the keys that the broker adds.
    open var extraDeviceInformation: [AnyHashable: Any] { extra }

    /// `Device mode shared` or `Device mode default` (DEV-9).
    open override var description: String { deviceMode == .shared ? "Device mode shared" : "Device mode default" }
}

extension MSALDeviceInformation: CustomReflectable {
    /// A mirror with only the mode, so that dumping the object into a log reveals no name.
    public var customMirror: Mirror { Mirror(self, children: ["deviceMode": deviceMode]) }
}
