// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

extension AdminRoutes {
    func addRoleRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .roles) { _, context in
            let tenant = try await tenant(context)
            return try Self.json(
                try await platform.database.read { connection in
                    try DirectoryRole.all.map { role in
                        let members = try RoleMembers(connection).members(of: role.id, tenant: tenant.id)
                        return IdentityAdmin.Role(
                            id: role.id.rawValue, displayName: role.displayName,
                            members: try members.compactMap {
                                try Users(connection).find($0, tenant: tenant.id)?.userPrincipalName
                            })
                    }
                })
        }
        on(router, .put, .roleMember) { _, context in
            let role = try role(context)
            try await administration.assign(role, to: try await user(context))
            return Response(status: .noContent)
        }
        on(router, .delete, .roleMember) { _, context in
            let role = try role(context)
            try await administration.unassign(role, from: try await user(context))
            return Response(status: .noContent)
        }
    }

    private func role(_ context: some RequestContext) throws -> DirectoryRole {
        guard let role = DirectoryRole.named(try place("role", context)) else { throw AdminRefusal.noRole }
        return role
    }
}
