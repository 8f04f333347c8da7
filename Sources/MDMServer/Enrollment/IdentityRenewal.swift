// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import MDMProtocol
internal import Storage

/// Gives devices new identities before their current ones expire.
struct IdentityRenewal: Sendable {
    let database: any Database
    let sources: MDMSources
    let sealer: SecretSealer
    let profiles: EnrollmentProfiles
    /// How long a device's identity is valid.
    let lifetime: Duration
    /// The maximum number of commands that may wait for one device.
    let maximumQueue: Int

    /// The pause between two attempts to renew a device's identity.
    private static let pause = Duration.seconds(86_400)

    /// Queues a new identity for a device when two thirds of its current identity's lifetime have passed. The new
    /// identity is sent in a new version of the device's enrollment profile. The current identity stays valid until the
    /// device uses the new one.
    ///
    /// - Returns: whether a command was queued.
    func renew(_ enrollment: Enrollment, tenant: TenantID, now: Timestamp) async throws -> Bool {
        guard enrollment.state == .bound, let udid = enrollment.udid,
            enrollment.expiresAt - now <= lifetime / 3
        else { return false }
        let isPending = try await database.read {
            try Self.isPending(enrollment, of: udid, tenant: tenant, now: now, in: $0)
        }
        guard !isPending else { return false }
        let made = try await profiles.make(tenant: tenant, now: now)
        let command = CommandRequest(uuid: sources.uuid(), command: .installProfile(made.profile))
        let next = Enrollment(
            id: made.enrollment, name: enrollment.name, state: .renewing, udid: udid, takesOver: nil, createdAt: now,
            expiresAt: now + lifetime)
        let isQueued = try await database.write { connection in
            let devices = DeviceRecords(connection: connection, tenant: tenant)
            // The enrollment may have ended since it was read.
            guard try Enrollments(connection: connection, tenant: tenant).find(enrollment.id)?.state == .bound,
                try !Self.isPending(enrollment, of: udid, tenant: tenant, now: now, in: connection),
                try devices.find(udid)?.state == .enrolled
            else { return false }
            do {
                try CommandQueue(connection: connection, tenant: tenant, udid: udid).append(
                    command, now: now, limit: maximumQueue, sealer: sealer)
            } catch let refusal as MDMAdminRefusal where refusal.code == .queueFull { return false }
            try Enrollments(connection: connection, tenant: tenant).insert(
                next, fingerprint: made.fingerprint, renewalCommand: CommandUUID(rawValue: command.uuid))
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
}
