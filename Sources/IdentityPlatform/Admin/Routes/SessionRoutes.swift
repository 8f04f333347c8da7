// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

/// The administration routes for sessions.
struct SessionRoutes: Sendable {
    let database: any Database
    let users: UserAdministration

    func add(to router: AdminRouter<some RequestContext>) {
        router.on(IdentityAdmin.listSessions) { call in
            let tenant = try await call.tenant()
            let name = call.request.uri.queryParameters.get("user")
            return try await database.read { connection in
                // An unknown name is refused. An empty list would suggest that the person has no session.
                let person = try name.map { try Users(connection).named($0, tenant: tenant) }
                return try LiveSessions(connection).newest(1000, of: person?.id, tenant: tenant.id).compactMap {
                    try shown($0, connection)
                }
            }
        }
        router.on(IdentityAdmin.revokeSession) { call in
            let tenant = try await call.tenant()
            let name = try call.place("session")
            guard let id = SessionID(rawValue: name) else {
                throw AdminRefusal.noSession.naming("\(name) is not the id of a session.")
            }
            try await users.revoke(id, tenant: tenant)
        }
        router.on(IdentityAdmin.revokeUserSessions) { call in
            try await users.revokeSessions(of: try await call.user())
        }
    }

    private func shown(_ session: Session, _ connection: any Connection) throws -> IdentityAdmin.Session? {
        guard let person = try Users(connection).find(session.user, tenant: session.tenant) else { return nil }
        return IdentityAdmin.Session(
            id: session.id.rawValue, userPrincipalName: person.userPrincipalName,
            device: session.device?.id.rawValue,
            deviceName: try session.device.flatMap {
                try Devices(connection).find($0.id, tenant: session.tenant)?.displayName
            }, begunAt: session.begun.rawValue)
    }
}
