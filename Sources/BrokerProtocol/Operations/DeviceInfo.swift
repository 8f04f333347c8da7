// SPDX-License-Identifier: Apache-2.0

/// The broker's information about the device, part of every response.
package struct DeviceInfo: Sendable, Equatable {
    /// Whether workers share the device. If this cannot be determined, the result is an error and not a mode.
    package enum Mode: String, Sendable {
        case personal, shared
    }

    /// The device's registration in the organisation's directory.
    package struct Registration: Sendable, Equatable {
        package let deviceID: String
        package let tenantID: String
        /// The host name of the identity platform.
        package let cloudHost: String
        /// The SHA-1 of the device certificate in upper-case hexadecimal.
        package let thumbprint: String

        package init(deviceID: String, tenantID: String, cloudHost: String, thumbprint: String) {
            self.deviceID = deviceID
            self.tenantID = tenantID
            self.cloudHost = cloudHost
            self.thumbprint = thumbprint
        }
    }

    package let mode: Mode
    /// A stable code for the reason of the mode.
    package let reason: String
    package let brokerVersion: String
    package let registration: Registration?

    package init(mode: Mode, reason: String, brokerVersion: String, registration: Registration?) {
        self.mode = mode
        self.reason = reason
        self.brokerVersion = brokerVersion
        self.registration = registration
    }
}

extension DeviceInfo {
    package var entries: FlatMap {
        var map = FlatMap()
        map[.deviceMode] = mode.rawValue
        map[.deviceModeReason] = reason
        map[.extensionMode] = "full"
        map[.joinStatus] = registration == nil ? "notJoined" : "joined"
        map[.brokerVersion] = brokerVersion
        map[.registrationDeviceID] = registration?.deviceID
        map[.registrationTenantID] = registration?.tenantID
        map[.registrationCloud] = registration?.cloudHost
        map[.registrationThumbprint] = registration?.thumbprint
        return map
    }

    /// Reads the device information of a response.
    ///
    /// - Throws: ``BrokerError`` if the mode is missing or unknown. An unreadable mode is never treated as `personal`.
    package init(_ map: FlatMap) throws(BrokerError) {
        guard let mode = map[.deviceMode].flatMap(Mode.init(rawValue:)) else {
            throw BrokerError(
                .internal, "The broker's answer does not contain the device's mode. Update the broker or the library.")
        }
        self.init(
            mode: mode, reason: map[.deviceModeReason] ?? "", brokerVersion: map[.brokerVersion] ?? "",
            registration: Registration(map))
    }
}

extension DeviceInfo.Registration {
    fileprivate init?(_ map: FlatMap) {
        guard map[.joinStatus] == "joined", let deviceID = map[.registrationDeviceID],
            let tenantID = map[.registrationTenantID], let cloudHost = map[.registrationCloud],
            let thumbprint = map[.registrationThumbprint]
        else { return nil }
        self.init(deviceID: deviceID, tenantID: tenantID, cloudHost: cloudHost, thumbprint: thumbprint)
    }
}
