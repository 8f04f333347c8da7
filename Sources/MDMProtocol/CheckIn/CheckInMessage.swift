// SPDX-License-Identifier: Apache-2.0

/// A message in which a device reports on its enrollment.
package enum CheckInMessage: Hashable, Sendable {
    case authenticate(Authenticate)
    case tokenUpdate(TokenUpdate)
    case checkOut(CheckOut)
    /// A message on a user's channel. It does not concern the device's own enrollment.
    case ofUser(messageType: String)
    /// A message type that Baton does not support.
    case unknown(messageType: String)

    /// The content type of check-in requests.
    package static let mediaType = "application/x-apple-aspen-mdm-checkin"

    enum MessageType: String {
        case authenticate = "Authenticate"
        case tokenUpdate = "TokenUpdate"
        case checkOut = "CheckOut"
    }

    /// The device's UDID; nil for messages that Baton does not support.
    package var udid: String? {
        switch self {
        case .authenticate(let message): message.udid
        case .tokenUpdate(let message): message.udid
        case .checkOut(let message): message.udid
        case .ofUser, .unknown: nil
        }
    }

    /// The device reports that a user has installed the enrollment profile. The device is not enrolled yet.
    package struct Authenticate: Hashable, Sendable {
        package var udid: String
        package var topic: String
        package var osVersion: String?
        package var buildVersion: String?
        package var productName: String?
        package var serialNumber: String?
        package var deviceName: String?
        /// The model; required by Apple's schema, as ``deviceName`` is.
        package var model: String?
        /// The model's display name; required by Apple's schema, as ``deviceName`` is.
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

    /// The device tells the server how to wake it. The first such message completes the enrollment.
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

    /// The device reports that its enrollment was removed. It sends this message only if it can still reach the server.
    package struct CheckOut: Hashable, Sendable {
        package var udid: String
        package var topic: String

        package init(udid: String, topic: String) {
            self.udid = udid
            self.topic = topic
        }
    }
}
