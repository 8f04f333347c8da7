// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Foundation
internal import Hummingbird
internal import Logging
internal import Redaction
internal import Storage

extension Management {
    func addEnrolmentRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .post, .enrolments) { call in
            let wanted: MDMAdmin.NewEnrolment = try call.decode()
            return try Self.json(try await issue(wanted, call), status: .created)
        }
        on(router, .get, .enrolments) { call in
            let now = sources.now()
            let living = try await database.read {
                try Enrolments(connection: $0, tenant: call.tenant).all(now: now)
            }
            return try Self.json(living.map(Self.description))
        }
        on(router, .delete, .enrolment) { call in
            let id = try call.place("enrolment")
            let isRevoked = try await database.write { connection in
                guard try Enrolments(connection: connection, tenant: call.tenant).revoke(id) else { return false }
                try record(.enrolmentRevoked, id, of: call, connection)
                return true
            }
            guard isRevoked else { throw ManagementRefusal(.noEnrolment) }
            Logger.current.info("enrolment profile revoked", metadata: ["enrolment.id": "\(id)"])
            return Response(status: .noContent)
        }
    }

    /// Makes an identity and the profile that carries it.
    private func issue(_ wanted: MDMAdmin.NewEnrolment, _ call: AdminCall) async throws -> MDMAdmin.EnrolmentProfile {
        guard (1...128).contains(wanted.name.count) else { throw ManagementRefusal(.badName) }
        let now = sources.now()
        let made = try await makeProfile(tenant: call.tenant, now: now)
        let enrolment = Enrolment(
            id: made.enrolment, name: wanted.name, state: .issued, udid: nil, takesOver: wanted.takesOver,
            createdAt: now, expiresAt: now + configuration.profileLifetime.milliseconds)
        try await database.write { connection in
            try Enrolments(connection: connection, tenant: call.tenant)
                .insert(enrolment, fingerprint: made.fingerprint)
            try record(.enrolmentMade, enrolment.id, of: call, connection)
        }
        Logger.current.info("enrolment profile made", metadata: ["enrolment.id": "\(enrolment.id)"])
        let encoded = Data(made.profile).base64EncodedString()
        return MDMAdmin.EnrolmentProfile(id: enrolment.id, name: wanted.name, profile: Sensitive(encoded))
    }

    private static func description(of enrolment: Enrolment) -> MDMAdmin.Enrolment {
        MDMAdmin.Enrolment(
            id: enrolment.id, name: enrolment.name, state: enrolment.state.rawValue, udid: enrolment.udid,
            createdAt: enrolment.createdAt, expiresAt: enrolment.expiresAt)
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
