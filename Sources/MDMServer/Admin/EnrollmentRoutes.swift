// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Foundation
internal import Hummingbird
internal import Logging
internal import Redaction
internal import Storage

/// The administration routes for enrollments.
struct EnrollmentRoutes: Sendable {
    let database: any Database
    let sources: MDMSources
    let profiles: EnrollmentProfiles
    /// How long an enrollment profile remains usable before its first use.
    let profileLifetime: Duration
    let log: MDMAdminLog
    let search: ManagedDeviceSearch

    func add(to router: MDMAdminRouter) {
        router.on(MDMAdmin.addEnrollment) { call, body in try await issue(try body.decoded(), call) }
        router.on(list: MDMAdmin.listEnrollments) { call, page in
            let now = sources.now()
            let living = try await database.read {
                try Enrollments(connection: $0, tenant: call.tenant).all(now: now, on: page)
            }
            return Page(living, of: page, key: \.listKey, shown: Self.description)
        }
        router.on(MDMAdmin.revokeEnrollment) { call in
            let id = EnrollmentID(rawValue: try call.place("enrollment"))
            let isRevoked = try await call.act(on: database, at: sources.now()) { connection in
                guard try Enrollments(connection: connection, tenant: call.tenant).revoke(id) else { return false }
                try log.record(.enrollmentRevoked, id, of: call, in: connection)
                return true
            }
            guard isRevoked else {
                throw MDMAdminRefusal(.noEnrollment, "There is no unused enrollment profile \(id).")
            }
            Logger.current.info("enrollment profile revoked", metadata: ["enrollment.id": "\(id)"])
        }
    }

    /// Creates an identity and the enrollment profile that contains it.
    private func issue(_ wanted: MDMAdmin.NewEnrollment, _ call: MDMAdminCall) async throws
        -> MDMAdmin.EnrollmentProfile
    {
        guard ShownText.managedName.accepts(wanted.name) else { throw MDMAdminRefusal(.badName) }
        var former: UDID?
        if let name = wanted.takesOver {
            former = try await search.device(try ObjectName(given: name), tenant: call.tenant).udid
        }
        let now = sources.now()
        let made = try await profiles.make(tenant: call.tenant, now: now)
        let enrollment = Enrollment(
            id: made.enrollment, name: wanted.name, state: .issued, udid: nil, takesOver: former,
            createdAt: now, expiresAt: now + profileLifetime)
        try await call.act(on: database, at: now) { connection in
            try Enrollments(connection: connection, tenant: call.tenant)
                .insert(enrollment, fingerprint: made.fingerprint)
            try log.record(.enrollmentMade, enrollment.id, of: call, in: connection)
        }
        Logger.current.info("enrollment profile made", metadata: ["enrollment.id": "\(enrollment.id)"])
        let encoded = Data(made.profile).base64EncodedString()
        return MDMAdmin.EnrollmentProfile(id: enrollment.id.rawValue, name: wanted.name, profile: Sensitive(encoded))
    }

    private static func description(of enrollment: Enrollment) -> MDMAdmin.Enrollment {
        MDMAdmin.Enrollment(
            id: enrollment.id.rawValue, name: enrollment.name, state: enrollment.state.rawValue,
            udid: enrollment.udid?.rawValue, createdAt: enrollment.createdAt.rawValue,
            expiresAt: enrollment.expiresAt.rawValue)
    }
}
