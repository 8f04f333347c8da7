// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

extension AdminRoutes {
    func addGroupRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .groups) { _, context in
            let tenant = try await tenant(context)
            return try Self.json(
                try await platform.database.read { connection in
                    try Groups(connection).all(tenant: tenant.id).map { try shown($0, connection) }
                })
        }
        on(router, .post, .groups) { request, context in
            let tenant = try await tenant(context)
            let new = try await body(request, as: IdentityAdmin.NewGroup.self)
            let nickname = new.displayName.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
            let group = try await administration.addGroup(
                new.displayName, mailNickname: new.mailNickname ?? String(nickname.prefix(64)),
                description: new.description, tenant: tenant.id)
            return try Self.json(try await platform.database.read { try shown(group, $0) }, status: .created)
        }
        on(router, .delete, .group) { _, context in
            try await administration.remove(try await group(context))
            return Response(status: .noContent)
        }
        on(router, .put, .groupMember) { _, context in
            let (group, user) = (try await group(context), try await user(context))
            try await administration.addMember(user.id, to: group)
            return Response(status: .noContent)
        }
        on(router, .delete, .groupMember) { _, context in
            let (group, user) = (try await group(context), try await user(context))
            try await administration.removeMember(user.id, from: group)
            return Response(status: .noContent)
        }
    }

    /// The group that the path names, by id or by a name that only one group has.
    private func group(_ context: some RequestContext) async throws -> Group {
        let tenant = try await tenant(context)
        let name = try place("group", context)
        let found = try await platform.database.read { connection in
            let groups = Groups(connection)
            if let id = GroupID(rawValue: name) { return try groups.find(id, tenant: tenant.id) }
            let named = try groups.all(tenant: tenant.id).filter { $0.displayName == name }
            return named.count == 1 ? named.first : nil
        }
        guard let found else { throw AdminRefusal.noGroup }
        return found
    }

    private func shown(_ group: Group, _ connection: any Connection) throws -> IdentityAdmin.Group {
        let members = try Groups(connection).members(of: group.id, tenant: group.tenant)
        return IdentityAdmin.Group(
            id: group.id.rawValue, displayName: group.displayName, description: group.description,
            members: try members.compactMap { try Users(connection).find($0, tenant: group.tenant)?.userPrincipalName })
    }
}
