// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import Storage

/// The administration routes for sessions.
struct SessionRoutes: Sendable {
    let database: any Database

    func add(to router: AdminRouter) {
        router.on(list: IdentityAdmin.listSessions) { call, page in
            let tenant = try await call.tenant()
            let name = try call.received.query(.user, as: String.self)
            return try await database.read { connection in
                // An unknown name is refused. An empty list would suggest that the person has no session.
                let person = try name.map { try Users(connection).named($0, tenant: tenant) }
                let sessions = try LiveSessions(connection).newest(on: page, of: person?.id, tenant: tenant.id)
                return try Page(sessions, of: page, key: \.listKey) { try shown($0, connection) }
            }
        }
        router.on(IdentityAdmin.revokeSession) { call in
            let tenant = try await call.tenant()
            let name = try call.place("session")
            guard let id = SessionID(rawValue: name) else {
                throw AdminRefusal.noSession.naming("\(name) is not the id of a session.")
            }
            let user = try await database.read { connection in
                let session = try Sessions(connection).find(id, tenant: tenant.id)
                return try session.flatMap { try Users(connection).find($0.user, tenant: tenant.id) }
            }
            guard let user else { throw AdminRefusal.noSession }
            try await call.acts(on: user).users.revoke(id, tenant: tenant)
        }
        router.on(IdentityAdmin.revokeUserSessions) { call in
            let user = try await call.user()
            try await call.acts(on: user).users.revokeSessions(of: user)
        }
    }

    private func shown(_ session: Session, _ connection: any Connection) throws -> IdentityAdmin.Session {
        // Removing a person ends their sessions in the same transaction.
        let person = try Users(connection).find(session.user, tenant: session.tenant)
        return IdentityAdmin.Session(
            id: session.id.rawValue, userPrincipalName: person?.userPrincipalName ?? session.user.rawValue,
            device: session.device?.id.rawValue,
            deviceName: try session.device.flatMap {
                try Devices(connection).find($0.id, tenant: session.tenant)?.displayName
            }, begunAt: session.begun.rawValue)
    }
}
