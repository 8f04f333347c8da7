// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import Foundation
internal import Logging
internal import NIOPosix
internal import Storage

/// A new identity, and the profile that brings it to a device.
struct MadeProfile: Sendable {
    /// Names the enrollment.
    let enrollment: EnrollmentID
    let fingerprint: String
    /// The profile's XML; it holds the identity's key.
    let profile: [UInt8]
}

extension Management {
    /// A day between two attempts to give a device a new identity.
    private static let pause = Duration.seconds(86_400)

    /// Queues a new identity for a device whose present one has spent two thirds of its life: the enrollment's own
    /// profile with other contents. The present one stays good until the device has used the new one.
    ///
    /// - Returns: whether a command was queued.
    func renew(_ enrollment: Enrollment, tenant: TenantID, now: Timestamp) async throws -> Bool {
        guard enrollment.state == .bound, let udid = enrollment.udid,
            enrollment.expiresAt - now <= configuration.identityLifetime / 3
        else { return false }
        let isPending = try await database.read {
            try Self.isPending(enrollment, of: udid, tenant: tenant, now: now, in: $0)
        }
        guard !isPending else { return false }
        let made = try await makeProfile(tenant: tenant, now: now)
        let command = CommandRequest(uuid: sources.uuid(), command: .installProfile(made.profile))
        let next = Enrollment(
            id: made.enrollment, name: enrollment.name, state: .renewing, udid: udid, takesOver: nil, createdAt: now,
            expiresAt: now + configuration.identityLifetime)
        let isQueued = try await database.write { [limit = configuration.maximumQueue, sealer] connection in
            let devices = Devices(connection: connection, tenant: tenant)
            guard try !Self.isPending(enrollment, of: udid, tenant: tenant, now: now, in: connection),
                try devices.find(udid)?.state == .enrolled
            else { return false }
            do {
                try CommandQueue(connection: connection, tenant: tenant, udid: udid).append(
                    command, now: now, limit: limit, sealer: sealer)
            } catch let refusal as ManagementRefusal where refusal.code == .queueFull { return false }
            try Enrollments(connection: connection, tenant: tenant).insert(
                next, fingerprint: made.fingerprint, renewalCommand: command.uuid)
            return true
        }
        if isQueued { Logger.current.info("device identity renewed", metadata: ["device.udid": "\(udid)"]) }
        return isQueued
    }

    private static func isPending(
        _ enrollment: Enrollment, of udid: UDID, tenant: TenantID, now: Timestamp, in connection: any Connection
    ) throws -> Bool {
        try Enrollments(connection: connection, tenant: tenant).hasAnother(
            udid: udid, than: enrollment.id, since: now - pause)
    }

    /// Makes an identity and the enrollment profile that carries it; the key derivation runs on a thread that may block.
    ///
    /// - Throws: ``ManagementRefusal``.
    func makeProfile(tenant: TenantID, now: Timestamp) async throws -> MadeProfile {
        guard let namespace = UUID(uuidString: tenant.rawValue) else { throw ManagementRefusal(.malformedTenant) }
        let organization = try await database.read { try $0.record(Organization.self, "WHERE id = \(tenant)") }
        guard let organization else { throw ManagementRefusal(.noTenant) }
        let id = EnrollmentID(rawValue: sources.uuid())
        let (identity, fingerprint) = try await NIOThreadPool.singleton.runIfActive { [authority, sources] in
            let identity = try authority.issue(enrollment: id, now: now.date)
            let password = Hex.text(sources.random(16))
            let container = try identity.container(password: password, random: sources.random)
            let payload = IdentityPayload(container: container, password: password, fileName: "identity.p12")
            return (payload, MDMContext.fingerprint(identity.certificates[0]))
        }
        let profile = try Profile.enrollment(
            tenant: namespace, organization: organization.name, enrollment: id.rawValue,
            serverURL: configuration.baseURL + DevicePath.filled(DevicePath.server, ["tenant": tenant.rawValue]),
            topic: organization.topic,
            identity: identity, root: configuration.trustRoot)
        let findings = ProfileLinter(delivery: .enrollment).findings(in: profile)
        guard findings.isEmpty else { throw ManagementRefusal(.badProfile, findings: findings) }
        return MadeProfile(enrollment: id, fingerprint: fingerprint, profile: try profile.xml())
    }
}
