// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

/// The administration routes for groups.
struct GroupRoutes: Sendable {
    let database: any Database
    let groups: GroupAdministration

    func add(to router: AdminRouter<some RequestContext>) {
        router.on(IdentityAdmin.listGroups) { call in
            let tenant = try await call.tenant()
            return try await database.read { connection in
                try Groups(connection).all(tenant: tenant.id).map { try shown($0, connection) }
            }
        }
        router.on(IdentityAdmin.addGroup) { call, body in
            let tenant = try await call.tenant()
            let new = try await body.decoded()
            let nickname = new.displayName.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
            let group = try await groups.add(
                new.displayName, mailNickname: new.mailNickname ?? String(nickname.prefix(64)),
                description: new.description, tenant: tenant.id)
            return try await database.read { try shown(group, $0) }
        }
        router.on(IdentityAdmin.removeGroup) { call in
            try await groups.remove(try await group(call))
        }
        router.on(IdentityAdmin.addGroupMember) { call in
            let (group, user) = (try await group(call), try await call.user())
            try await groups.addMember(user.id, to: group)
        }
        router.on(IdentityAdmin.removeGroupMember) { call in
            let (group, user) = (try await group(call), try await call.user())
            try await groups.removeMember(user.id, from: group)
        }
    }

    /// Returns the group in the path, identified by its id or by a unique name.
    private func group(_ call: AdminCall) async throws -> Group {
        let (tenant, name) = (try await call.tenant(), try call.name("group"))
        return try await database.read { try NamedObjects($0).group(name, tenant: tenant) }
    }

    private func shown(_ group: Group, _ connection: any Connection) throws -> IdentityAdmin.Group {
        let members = try Groups(connection).members(of: group.id, tenant: group.tenant)
        return IdentityAdmin.Group(
            id: group.id.rawValue, displayName: group.displayName, description: group.description,
            members: try members.compactMap { try Users(connection).find($0, tenant: group.tenant)?.userPrincipalName })
    }
}
