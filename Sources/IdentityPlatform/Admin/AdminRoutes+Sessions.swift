// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

extension AdminRoutes {
    func addSessionRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .sessions) { request, context in
            let tenant = try await tenant(context)
            let name = request.uri.queryParameters.get("user")
            let sessions = try await platform.database.read { connection in
                // A name that nobody has is refused: an empty list would say that the person has no session.
                let person = try name.map { try user(named: $0, tenant: tenant, connection) }
                return try LiveSessions(connection).newest(1000, of: person?.id, tenant: tenant.id).compactMap {
                    try shown($0, connection)
                }
            }
            return try Self.json(sessions)
        }
        on(router, .delete, .session) { _, context in
            let tenant = try await tenant(context)
            guard let id = SessionID(rawValue: try place("session", context)) else { throw AdminRefusal.noSession }
            try await administration.revoke(id, tenant: tenant)
            return Response(status: .noContent)
        }
        on(router, .delete, .userSessions) { _, context in
            try await administration.revokeSessions(of: try await user(context))
            return Response(status: .noContent)
        }
    }

    private func shown(_ session: Session, _ connection: any Connection) throws -> IdentityAdmin.Session? {
        guard let person = try Users(connection).find(session.user, tenant: session.tenant) else { return nil }
        return IdentityAdmin.Session(
            id: session.id.rawValue, userPrincipalName: person.userPrincipalName,
            device: session.device?.id.rawValue, begun: session.begun.seconds)
    }
}
