// SPDX-License-Identifier: Apache-2.0

/// One part of a profile.
package struct Payload: Hashable, Sendable {
    /// The payload's identifier, unique within the profile. If a new revision of the profile keeps a payload's `uuid`,
    /// the payload is updated in place.
    package var identifier: String
    package var uuid: String
    package var displayName: String?
    package var content: Content

    package init(identifier: String, uuid: String, displayName: String? = nil, content: Content) {
        self.identifier = identifier
        self.uuid = uuid
        self.displayName = displayName
        self.content = content
    }

    /// A payload's content, by type.
    package enum Content: Hashable, Sendable {
        case enrollment(EnrollmentPayload)
        case identity(IdentityPayload)
        case rootCertificate(CertificatePayload)
        case extensibleSSO(SSOPayload)
        case browser(BrowserPayload)
        case homeScreen(HomeScreenPayload)
        /// An unsupported type. A device refuses the whole profile that contains such a payload.
        case unknown(type: String)
    }

    /// The types that Baton supports.
    package enum Kind: String, Sendable {
        case enrollment = "com.apple.mdm"
        case identity = "com.apple.security.pkcs12"
        case rootCertificate = "com.apple.security.root"
        case extensibleSSO = "com.apple.extensiblesso"
        case browser = "org.baton.browser"
        case homeScreen = "org.baton.homescreen"
    }

    /// The type's name in the protocol.
    package var typeName: String {
        switch content {
        case .enrollment: Kind.enrollment.rawValue
        case .identity: Kind.identity.rawValue
        case .rootCertificate: Kind.rootCertificate.rawValue
        case .extensibleSSO: Kind.extensibleSSO.rawValue
        case .browser: Kind.browser.rawValue
        case .homeScreen: Kind.homeScreen.rawValue
        case .unknown(let type): type
        }
    }
}

extension Payload {
    init(propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .payloadContent)
        identifier = try fields.string(.payloadIdentifier)
        uuid = try fields.string(.payloadUUID)
        guard try fields.integer(.payloadVersion) == Profile.formatVersion else {
            throw FieldError(.payloadVersion, .outOfRange)
        }
        displayName = try fields.optionalString(.payloadDisplayName)
        let type = try fields.string(.payloadType)
        switch Kind(rawValue: type) {
        case .enrollment: content = .enrollment(try EnrollmentPayload(fields: fields))
        case .identity: content = .identity(try IdentityPayload(fields: fields))
        case .rootCertificate: content = .rootCertificate(try CertificatePayload(fields: fields))
        case .extensibleSSO: content = .extensibleSSO(try SSOPayload(fields: fields))
        case .browser: content = .browser(try BrowserPayload(fields: fields))
        case .homeScreen: content = .homeScreen(try HomeScreenPayload(fields: fields))
        case nil: content = .unknown(type: type)
        }
    }

    var propertyList: PropertyList {
        var members = body
        let common: [PropertyKey: PropertyList?] = [
            .payloadType: .string(typeName),
            .payloadVersion: .integer(Profile.formatVersion),
            .payloadIdentifier: .string(identifier),
            .payloadUUID: .string(uuid),
            .payloadDisplayName: displayName.map(PropertyList.string),
        ]
        for (key, value) in common { members[key.rawValue] = value }
        return .dictionary(members)
    }

    private var body: [String: PropertyList] {
        switch content {
        case .enrollment(let payload): payload.members
        case .identity(let payload): payload.members
        case .rootCertificate(let payload): payload.members
        case .extensibleSSO(let payload): payload.members
        case .browser(let payload): payload.members
        case .homeScreen(let payload): payload.members
        case .unknown: [:]
        }
    }
}

extension PropertyList {
    /// Returns the members of ``record(_:)``, without those that are nil.
    static func members(_ members: KeyValuePairs<PropertyKey, PropertyList?>) -> [String: PropertyList] {
        members.reduce(into: [:]) { result, member in result[member.key.rawValue] = member.value }
    }
}
