// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The body of a device join: RSA keys up to API version 2.0, P-256 keys in version 3.0.
package struct JoinRequest: Sendable {
    /// The subject of every certificate request in this protocol.
    package static let certificateRequestCommonName = "7E980AD9-B86D-4306-9425-9AC066FB014A"

    /// The PKCS#10 request for the device key, in DER format.
    package let certificateRequest: [UInt8]
    package let transportKey: TransportKey
    package let targetDomain: String
    package let deviceType: String
    package let operatingSystemVersion: String
    package let displayName: String
    package let joinType: JoinType
    /// Whether the device will be shared. Only a Cloud Device Administrator may ask for this.
    package let isShared: Bool

    package init(
        certificateRequest: [UInt8], transportKey: TransportKey, targetDomain: String, deviceType: String,
        operatingSystemVersion: String, displayName: String, joinType: JoinType = .join, isShared: Bool
    ) {
        self.certificateRequest = certificateRequest
        self.transportKey = transportKey
        self.targetDomain = targetDomain
        self.deviceType = deviceType
        self.operatingSystemVersion = operatingSystemVersion
        self.displayName = displayName
        self.joinType = joinType
        self.isShared = isShared
    }

    /// Reads a body of at most 64 KiB. The member `Attributes` may also be in lower case, and booleans may be strings.
    ///
    /// - Throws: ``MembersFailure``, ``Base64Failure``, or ``JOSEFailure`` for the transport key.
    package init(decoding body: [UInt8], version: RegistrationVersion = .two) throws {
        let members = try Members(decoding: body)
        guard let request = try members.members(RegistrationName.certificateRequest) else {
            throw MembersFailure.missing(RegistrationName.certificateRequest.rawValue)
        }
        guard try request.string(RegistrationName.type) == "pkcs10" else {
            throw MembersFailure.wrongType(RegistrationName.type.rawValue)
        }
        certificateRequest = try Base64.decodeLeniently(try request.string(RegistrationName.data))
        transportKey =
            version == .three
            ? try Self.transportKey(among: members)
            : try TransportKey(decoding: try members.string(RegistrationName.transportKey))
        targetDomain = try members.optionalString(RegistrationName.targetDomain) ?? ""
        deviceType = try members.optionalString(RegistrationName.deviceType) ?? ""
        operatingSystemVersion = try members.optionalString(RegistrationName.operatingSystemVersion) ?? ""
        displayName = try members.optionalString(RegistrationName.deviceDisplayName) ?? ""
        guard let number = try members.lenientInteger(RegistrationName.joinType), let type = JoinType(rawValue: number)
        else { throw MembersFailure.wrongType(RegistrationName.joinType.rawValue) }
        joinType = type
        let attributes =
            try members.members(RegistrationName.attributes) ?? members.members(RegistrationName.lowercaseAttributes)
        isShared = try attributes?.lenientBool(RegistrationName.sharedDevice) ?? false
    }

    /// Returns the session transport key from the `DeviceKeys` of version 3.0.
    private static func transportKey(among members: Members) throws -> TransportKey {
        guard case .array(let keys) = members[RegistrationName.deviceKeys], keys.count <= 8 else {
            throw MembersFailure.missing(RegistrationName.deviceKeys.rawValue)
        }
        for element in keys {
            guard case .object(let values) = element else {
                throw MembersFailure.wrongType(RegistrationName.deviceKeys.rawValue)
            }
            let key = Members(values)
            guard try key.string(RegistrationName.usage) == "STK" else { continue }
            guard try key.string(RegistrationName.type) == "ECC", try key.string(RegistrationName.encoding) == "JWK"
            else { throw JOSEFailure.unsupported }
            return try TransportKey(curve: try key.string(RegistrationName.data))
        }
        throw MembersFailure.missing(RegistrationName.transportKey.rawValue)
    }

    /// Returns the JSON body of version 2.0.
    ///
    /// - Throws: ``JOSEFailure`` if the transport key is not RSA.
    package func encoded() throws(JOSEFailure) -> [UInt8] {
        var request = MembersWriter()
        request.set(RegistrationName.type, "pkcs10")
        request.set(RegistrationName.data, Base64.encode(certificateRequest))
        var attributes = MembersWriter()
        attributes.set(RegistrationName.sharedDevice, isShared)
        var body = MembersWriter()
        body.set(RegistrationName.certificateRequest, request)
        body.set(RegistrationName.transportKey, try transportKey.encoded())
        body.set(RegistrationName.targetDomain, targetDomain)
        body.set(RegistrationName.deviceType, deviceType)
        body.set(RegistrationName.operatingSystemVersion, operatingSystemVersion)
        body.set(RegistrationName.deviceDisplayName, displayName)
        body.set(RegistrationName.joinType, joinType.rawValue)
        body.set(RegistrationName.attributes, attributes)
        return body.bytes
    }
}
