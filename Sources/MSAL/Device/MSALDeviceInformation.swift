// SPDX-License-Identifier: Apache-2.0

/// What is known about the device.
open class MSALDeviceInformation: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; everything in it is constant texts.

    /// Whether workers share the device.
    public let deviceMode: MSALDeviceMode
    private let extra: [String: String]

    init(deviceMode: MSALDeviceMode, extra: [String: String]) {
        self.deviceMode = deviceMode
        self.extra = extra
    }

    /// The device's registration and why it is in its mode; keys and values are texts.
    public var extraDeviceInformation: [AnyHashable: Any] { extra }

    open override var description: String { deviceMode == .shared ? "Device mode shared" : "Device mode default" }
}
