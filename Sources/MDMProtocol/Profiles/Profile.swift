// SPDX-License-Identifier: Apache-2.0

/// A configuration profile: payloads that are installed and removed together.
///
/// On a device, `identifier` identifies the profile: a new profile with the same identifier replaces the old one.
/// `uuid` identifies the revision.
package struct Profile: Hashable, Sendable {
    package var identifier: String
    package var uuid: String
    package var displayName: String?
    package var organization: String?
    package var removalDisallowed: Bool
    package var payloads: [Payload]

    package init(
        identifier: String, uuid: String, displayName: String? = nil, organization: String? = nil,
        removalDisallowed: Bool = false, payloads: [Payload]
    ) {
        self.identifier = identifier
        self.uuid = uuid
        self.displayName = displayName
        self.organization = organization
        self.removalDisallowed = removalDisallowed
        self.payloads = payloads
    }

    /// The only type of a top-level profile, and the only format version.
    static let typeName = "Configuration"
    static let formatVersion: Int64 = 1
    /// The media type of profile files.
    package static let mediaType = "application/x-apple-aspen-config"
}

extension Profile {
    /// Reads a profile.
    ///
    /// - Throws: ``ProfileError``.
    package init(xml: [UInt8]) throws(ProfileError) {
        let value: PropertyList
        do { value = try PropertyList(xml: xml) } catch { throw .unreadable(error) }
        do { try self.init(propertyList: value) } catch { throw .malformed(error) }
    }

    package init(propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .payloadContent)
        guard try fields.string(.payloadType) == Self.typeName else { throw FieldError(.payloadType, .outOfRange) }
        guard try fields.integer(.payloadVersion) == Self.formatVersion else {
            throw FieldError(.payloadVersion, .outOfRange)
        }
        identifier = try fields.string(.payloadIdentifier)
        uuid = try fields.string(.payloadUUID)
        guard !identifier.isEmpty else { throw FieldError(.payloadIdentifier, .outOfRange) }
        displayName = try fields.optionalString(.payloadDisplayName)
        organization = try fields.optionalString(.payloadOrganization)
        removalDisallowed = try fields.optionalBoolean(.payloadRemovalDisallowed) ?? false
        payloads = []
        for payload in try fields.array(.payloadContent) { payloads.append(try Payload(propertyList: payload)) }
    }

    package var propertyList: PropertyList {
        .record([
            .payloadType: .string(Self.typeName),
            .payloadVersion: .integer(Self.formatVersion),
            .payloadIdentifier: .string(identifier),
            .payloadUUID: .string(uuid),
            .payloadDisplayName: displayName.map(PropertyList.string),
            .payloadOrganization: organization.map(PropertyList.string),
            .payloadRemovalDisallowed: removalDisallowed ? true : nil,
            .payloadContent: .array(payloads.map(\.propertyList)),
        ])
    }

    package func xml() throws(PropertyListError) -> [UInt8] { try propertyList.xml() }
}

/// Why bytes are not a profile.
package enum ProfileError: Error, Equatable, CustomStringConvertible {
    case unreadable(PropertyListError)
    case malformed(FieldError)

    package var description: String {
        switch self {
        case .unreadable(let error): "the profile is not a property list: \(error)"
        case .malformed(let error): "the profile is malformed: \(error)"
        }
    }
}
