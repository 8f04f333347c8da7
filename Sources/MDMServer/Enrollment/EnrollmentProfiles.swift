// SPDX-License-Identifier: Apache-2.0
internal import Encodings
internal import Foundation
internal import MDMProtocol
internal import NIOPosix
internal import Storage

/// A new identity and the profile that delivers it to a device.
struct MadeProfile: Sendable {
    /// The id of the enrollment.
    let enrollment: EnrollmentID
    let fingerprint: CertificateFingerprint
    /// The profile's XML. It contains the identity's key.
    let profile: [UInt8]
}

/// Creates enrollment profiles.
struct EnrollmentProfiles: Sendable {
    let database: any Database
    let sources: MDMSources
    let authority: IdentityAuthority
    let addresses: DeviceAddresses
    /// DER of the root certificate that enrolled devices trust.
    let trustRoot: [UInt8]
    /// How long an identity is valid after its creation.
    let lifetime: Duration

    /// Creates an identity and the enrollment profile that contains it. The key derivation runs on a thread that may
    /// block.
    ///
    /// - Throws: ``MDMAdminRefusal``.
    func make(tenant: TenantID, now: Timestamp) async throws -> MadeProfile {
        guard let namespace = UUID(uuidString: tenant.rawValue) else { throw MDMAdminRefusal(.malformedTenant) }
        let organization = try await database.read { try $0.record(Organization.self, "WHERE id = \(tenant)") }
        guard let organization else { throw MDMAdminRefusal(.noTenant) }
        let id = EnrollmentID(rawValue: sources.uuid())
        let (identity, fingerprint) = try await NIOThreadPool.singleton.runIfActive { [authority, sources, lifetime] in
            let identity = try authority.issue(enrollment: id, now: now.date, end: now + lifetime)
            let password = Hexadecimal.text(sources.random(16))
            let container = try identity.container(password: password, random: sources.random)
            let payload = IdentityPayload(container: container, password: password, fileName: "identity.p12")
            return (payload, MDMContext.fingerprint(identity.certificates[0]))
        }
        let profile = try Profile.enrollment(
            tenant: namespace, organization: organization.name, enrollment: id.rawValue,
            serverURL: addresses.server(of: tenant),
            topic: organization.topic,
            identity: identity, root: trustRoot)
        let findings = ProfileLinter(delivery: .enrollment).findings(in: profile)
        guard findings.isEmpty else { throw MDMAdminRefusal(.badProfile, findings: findings) }
        return MadeProfile(enrollment: id, fingerprint: fingerprint, profile: try profile.xml())
    }
}
