// SPDX-License-Identifier: Apache-2.0

/// `com.apple.mdm`: which server manages the device, and how the device authenticates.
package struct EnrollmentPayload: Hashable, Sendable {
    package var serverURL: String
    package var checkInURL: String?
    package var topic: String
    /// The `uuid` of an ``IdentityPayload`` in the same profile.
    package var identityUUID: String
    package var accessRights: AccessRights
    package var checkOutWhenRemoved: Bool

    package init(
        serverURL: String, checkInURL: String? = nil, topic: String, identityUUID: String,
        accessRights: AccessRights = .sharedDevice, checkOutWhenRemoved: Bool = true
    ) {
        self.serverURL = serverURL
        self.checkInURL = checkInURL
        self.topic = topic
        self.identityUUID = identityUUID
        self.accessRights = accessRights
        self.checkOutWhenRemoved = checkOutWhenRemoved
    }

    /// The address for check-in messages.
    package var effectiveCheckInURL: String { checkInURL ?? serverURL }

    static let topicPrefix = "com.apple.mgmt."

    init(fields: Fields) throws(FieldError) {
        serverURL = try fields.string(.serverURL)
        checkInURL = try fields.optionalString(.checkInURL)
        topic = try fields.string(.topic)
        identityUUID = try fields.string(.identityCertificateUUID)
        accessRights = AccessRights(rawValue: try fields.optionalInteger(.accessRights) ?? 0)
        checkOutWhenRemoved = try fields.optionalBoolean(.checkOutWhenRemoved) ?? false
        // Baton's devices authenticate by TLS only.
        guard try fields.optionalBoolean(.signMessage) != true else { throw FieldError(.signMessage, .outOfRange) }
    }

    var members: [String: PropertyList] {
        PropertyList.members([
            .serverURL: .string(serverURL),
            .checkInURL: checkInURL.map(PropertyList.string),
            .topic: .string(topic),
            .identityCertificateUUID: .string(identityUUID),
            .accessRights: .integer(accessRights.rawValue),
            .checkOutWhenRemoved: .boolean(checkOutWhenRemoved),
        ])
    }
}

/// What the server may do on the device. An update can remove rights, but not add any.
package struct AccessRights: OptionSet, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let inspectProfiles = AccessRights(rawValue: 1)
    package static let changeProfiles = AccessRights(rawValue: 2)
    package static let lock = AccessRights(rawValue: 4)
    package static let erase = AccessRights(rawValue: 8)
    package static let deviceInformation = AccessRights(rawValue: 16)
    package static let inspectProvisioning = AccessRights(rawValue: 64)
    package static let changeProvisioning = AccessRights(rawValue: 128)
    package static let inspectApps = AccessRights(rawValue: 256)
    package static let securityInformation = AccessRights(rawValue: 1024)
    package static let settings = AccessRights(rawValue: 2048)
    package static let manageApps = AccessRights(rawValue: 4096)

    /// The minimum for shared device mode (7443).
    package static let sharedDevice: AccessRights = [
        .inspectProfiles, .changeProfiles, .deviceInformation, .inspectApps, .securityInformation, .settings,
        .manageApps,
    ]
    static let all = AccessRights(rawValue: 8191)
}
