// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

extension Profile {
    /// Returns the profile that enrolls a device. It contains the device's identity, the root certificate and the
    /// server's address.
    ///
    /// - Parameters:
    ///   - enrollment: the id of this enrollment. It is part of the UUIDs of the identity payload and the server
    ///     payload, because each enrollment has its own identity.
    ///   - root: the root certificate of the server's chain, in DER format.
    package static func enrollment(
        tenant: UUID, organization: String, enrollment: String, serverURL: String, topic: String,
        identity: IdentityPayload, root: [UInt8]
    ) throws(PropertyListError) -> Profile {
        let identifier = "org.baton.mdm.enrollment"
        let identityUUID = StableUUID.make(namespace: tenant, name: "\(identifier).identity#\(enrollment)")
        let server = EnrollmentPayload(serverURL: serverURL, topic: topic, identityUUID: identityUUID)
        var profile = Profile(
            identifier: identifier, uuid: "", displayName: "Device management", organization: organization,
            payloads: [
                Payload(
                    identifier: "\(identifier).root",
                    uuid: StableUUID.make(namespace: tenant, name: "\(identifier).root"),
                    content: .rootCertificate(CertificatePayload(certificate: root, fileName: "root.cer"))),
                Payload(identifier: "\(identifier).identity", uuid: identityUUID, content: .identity(identity)),
                Payload(
                    identifier: "\(identifier).server",
                    uuid: StableUUID.make(namespace: tenant, name: "\(identifier).server#\(enrollment)"),
                    content: .enrollment(server)),
            ])
        try profile.stampRevision(tenant: tenant)
        return profile
    }

    /// Returns the single sign-on profile that turns shared device mode on.
    ///
    /// - Parameter additionalURLs: the organisation's own sign-in URLs, which follow the preset's URLs.
    package static func sharedDeviceSSO(
        tenant: UUID, organization: String, preset: SSOPreset = .microsoft2020, additionalURLs: [String] = []
    ) throws(PropertyListError) -> Profile {
        let identifier = "org.baton.sso"
        let sso = SSOPayload(
            extensionIdentifier: preset.extensionIdentifier, urls: preset.urls + additionalURLs,
            extensionData: PropertyList.members([.sharedDeviceMode: true]))
        var profile = Profile(
            identifier: identifier, uuid: "", displayName: "Shared device", organization: organization,
            payloads: [
                Payload(
                    identifier: "\(identifier).extension",
                    uuid: StableUUID.make(namespace: tenant, name: "\(identifier).extension"),
                    content: .extensibleSSO(sso))
            ])
        try profile.stampRevision(tenant: tenant)
        return profile
    }
}

/// Configurations of managed apps.
package enum AppConfiguration {
    /// The bundle identifier of the broker's package.
    package static let broker = "org.baton.authenticator"

    /// The broker's app configuration, which is the second switch of shared device mode.
    package static let sharedDevice: [String: PropertyList] = PropertyList.members([.sharedDeviceMode: true])

    /// Returns the configuration that a worker's app needs.
    package static func client(clientID: String, redirectURI: String) -> [String: PropertyList] {
        PropertyList.members([.clientID: .string(clientID), .redirectURI: .string(redirectURI)])
    }
}
