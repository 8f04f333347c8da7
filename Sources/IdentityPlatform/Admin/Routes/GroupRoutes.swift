// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import Storage

/// The administration routes for groups.
struct GroupRoutes: Sendable {
    let database: any Database
    let search: DeviceSearch

    func add(to router: AdminRouter) {
        router.on(list: IdentityAdmin.listGroups) { call, page in
            let tenant = try await call.tenant()
            return try await database.read { connection in
                let groups = try Groups(connection).all(tenant: tenant.id, on: page)
                let devices = try Groups(connection).deviceCounts(of: groups.map(\.id), tenant: tenant.id)
                return try Page(groups, of: page, key: \.listKey) {
                    try shown($0, deviceCount: devices[$0.id] ?? 0, connection)
                }
            }
        }
        router.on(object: IdentityAdmin.getGroup) { call in
            let group = try await group(call)
            return try await database.read { try shown(group, $0) }
        }
        router.on(IdentityAdmin.addGroup) { call, body in
            let tenant = try await call.tenant()
            let new = try body.decoded()
            let group = try await call.acts.groups.add(
                new.displayName, mailNickname: new.mailNickname, description: new.description, tenant: tenant.id)
            return try await database.read { try shown(group, $0) }
        }
        router.on(IdentityAdmin.removeGroup) { call in
            let group = try await group(call)
            let acts = call.acts { connection in
                guard let group = try Groups(connection).find(group.id, tenant: group.tenant) else {
                    throw AdminRefusal.noGroup
                }
                return try shown(group, connection)
            }
            try await acts.groups.remove(group)
        }
        router.on(IdentityAdmin.addGroupMember) { call in
            let (group, user) = (try await group(call), try await call.user())
            try await call.acts.groups.addMember(user.id, to: group)
        }
        router.on(IdentityAdmin.removeGroupMember) { call in
            let (group, user) = (try await group(call), try await call.user())
            try await call.acts.groups.removeMember(user.id, from: group)
        }
        addDevices(to: router)
    }

    private func addDevices(to router: AdminRouter) {
        router.on(list: IdentityAdmin.listGroupDevices) { call, page in
            let group = try await group(call)
            return try await database.read { connection in
                let devices = try Groups(connection).devices(of: group.id, tenant: group.tenant, on: page)
                return try AdministeredDevices(connection).page(devices, of: page)
            }
        }
        router.on(IdentityAdmin.addGroupDevice) { call in
            let (group, device) = (try await group(call), try await search.device(in: call))
            try await call.acts.groups.add(device, to: group)
        }
        router.on(IdentityAdmin.removeGroupDevice) { call in
            let (group, device) = (try await group(call), try await search.device(in: call))
            try await call.acts.groups.remove(device, from: group)
        }
    }

    /// Returns the group in the path, identified by its id or by a unique name.
    private func group(_ call: AdminCall) async throws -> Group {
        let (tenant, name) = (try await call.tenant(), try call.name("group"))
        return try await database.read { try NamedObjects($0).group(name, tenant: tenant) }
    }

    private func shown(_ group: Group, _ connection: any Connection) throws -> IdentityAdmin.Group {
        let count = try Groups(connection).deviceCounts(of: [group.id], tenant: group.tenant)[group.id]
        return try shown(group, deviceCount: count ?? 0, connection)
    }

    private func shown(
        _ group: Group, deviceCount: Int, _ connection: any Connection
    ) throws -> IdentityAdmin.Group {
        let members = try Groups(connection).members(of: group.id, tenant: group.tenant)
        return IdentityAdmin.Group(
            id: group.id.rawValue, displayName: group.displayName, description: group.description,
            members: try members.compactMap { try Users(connection).find($0, tenant: group.tenant)?.userPrincipalName },
            deviceCount: deviceCount)
    }
}
