// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import Storage

/// The administration routes for directory roles.
struct RoleRoutes: Sendable {
    let database: any Database

    func add(to router: AdminRouter) {
        router.on(IdentityAdmin.listRoles) { call in
            let tenant = try await call.tenant()
            return try await database.read { connection in
                try DirectoryRole.all.map { role in
                    let members = try RoleMembers(connection).members(of: role.id, tenant: tenant.id)
                    return IdentityAdmin.Role(
                        id: role.id.rawValue, displayName: role.displayName,
                        members: try members.compactMap {
                            try Users(connection).find($0, tenant: tenant.id)?.userPrincipalName
                        })
                }
            }
        }
        router.on(IdentityAdmin.assignRole) { call in
            let role = try role(call)
            try confirm(call, mayChange: role)
            try await call.acts.users.assign(role, to: try await call.user())
        }
        router.on(IdentityAdmin.unassignRole) { call in
            let role = try role(call)
            try confirm(call, mayChange: role)
            try await call.acts.users.unassign(role, from: try await call.user())
        }
    }

    /// Checks that an application does not change who has a role that controls all others.
    private func confirm(_ call: AdminCall, mayChange role: DirectoryRole) throws {
        guard !call.received.caller.isApplication || !role.controlsRoles else { throw OperationRefusal.controlsRoles }
    }

    private func role(_ call: AdminCall) throws -> DirectoryRole {
        let name = try call.place("role")
        guard let role = DirectoryRole.named(name) else {
            throw AdminRefusal.noRole.naming("There is no directory role \(name).")
        }
        return role
    }
}
