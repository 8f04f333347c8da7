// SPDX-License-Identifier: Apache-2.0

/// What a device says about its enrollment.
package enum CheckInMessage: Hashable, Sendable {
    case authenticate(Authenticate)
    case tokenUpdate(TokenUpdate)
    case checkOut(CheckOut)
    /// A message of a user's channel, which says nothing about the device's own enrollment.
    case ofUser(messageType: String)
    /// A message that Baton does not serve.
    case unknown(messageType: String)

    /// What check-in requests carry as their content type.
    package static let mediaType = "application/x-apple-aspen-mdm-checkin"

    enum MessageType: String {
        case authenticate = "Authenticate"
        case tokenUpdate = "TokenUpdate"
        case checkOut = "CheckOut"
    }

    /// The device's name; nil for messages that Baton does not serve.
    package var udid: String? {
        switch self {
        case .authenticate(let message): message.udid
        case .tokenUpdate(let message): message.udid
        case .checkOut(let message): message.udid
        case .ofUser, .unknown: nil
        }
    }

    /// "Somebody has installed your enrollment profile": the device is not enrolled yet.
    package struct Authenticate: Hashable, Sendable {
        package var udid: String
        package var topic: String
        package var osVersion: String?
        package var buildVersion: String?
        package var productName: String?
        package var serialNumber: String?
        package var deviceName: String?
        /// The kind of machine; required beside ``deviceName``.
        package var model: String?
        /// The kind of machine in words; required beside ``deviceName``.
        package var modelName: String?

        package init(
            udid: String, topic: String, osVersion: String? = nil, buildVersion: String? = nil,
            productName: String? = nil, serialNumber: String? = nil, deviceName: String? = nil, model: String? = nil,
            modelName: String? = nil
        ) {
            self.udid = udid
            self.topic = topic
            self.osVersion = osVersion
            self.buildVersion = buildVersion
            self.productName = productName
            self.serialNumber = serialNumber
            self.deviceName = deviceName
            self.model = model
            self.modelName = modelName
        }
    }

    /// How to wake the device; the first one completes the enrollment.
    package struct TokenUpdate: Hashable, Sendable {
        package var udid: String
        package var topic: String
        package var token: [UInt8]
        package var pushMagic: String
        package var unlockToken: [UInt8]?
        package var awaitingConfiguration: Bool

        package init(
            udid: String, topic: String, token: [UInt8], pushMagic: String, unlockToken: [UInt8]? = nil,
            awaitingConfiguration: Bool = false
        ) {
            self.udid = udid
            self.topic = topic
            self.token = token
            self.pushMagic = pushMagic
            self.unlockToken = unlockToken
            self.awaitingConfiguration = awaitingConfiguration
        }
    }

    /// "The enrollment was removed", if the device still gets to say so.
    package struct CheckOut: Hashable, Sendable {
        package var udid: String
        package var topic: String

        package init(udid: String, topic: String) {
            self.udid = udid
            self.topic = topic
        }
    }
}
