// SPDX-License-Identifier: Apache-2.0

/// What is known about the device.
#if canImport(ObjectiveC)
    @objc(MSALDeviceInformation) @objcMembers
#endif
open class MSALDeviceInformation: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after it was made.

    /// Whether workers share the device.
    open private(set) var deviceMode: MSALDeviceMode
    /// How the organisation wants its people to prove who they are (DEV-8).
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

    /// Makes what a personal device without a broker has: the default mode, and nothing else.
    public convenience override init() { self.init(deviceMode: .default, extra: [:]) }

    /// The device's registration and why it is in its mode; keys and values are texts (DEV-5, DEV-6).
    ///
    /// Keys are ``MSAL_PRIMARY_REGISTRATION_DEVICE_ID`` and its like, `isSSOExtensionInFullMode`, and
    /// `baton_device_mode_reason`, a stable code.
    open var extraDeviceInformation: [AnyHashable: Any] { extra }

    /// `Device mode shared` or `Device mode default` (DEV-9).
    open override var description: String { deviceMode == .shared ? "Device mode shared" : "Device mode default" }
}

extension MSALDeviceInformation: CustomReflectable {
    /// Shows the mode only, so that dumping it into a log names nobody.
    public var customMirror: Mirror { Mirror(self, children: ["deviceMode": deviceMode]) }
}
