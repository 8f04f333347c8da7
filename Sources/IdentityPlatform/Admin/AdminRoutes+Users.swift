// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

extension AdminRoutes {
    func addUserRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .users) { _, context in
            let tenant = try await tenant(context)
            return try Self.json(
                try await platform.database.read { connection in
                    try Users(connection).all(tenant: tenant.id).map { try shown($0, connection) }
                })
        }
        on(router, .post, .users) { request, context in
            let tenant = try await tenant(context)
            let new = try await body(request, as: IdentityAdmin.NewUser.self)
            let user = try await administration.addUser(
                new.userPrincipalName, profile: profile(new), password: new.password, tenant: tenant)
            return try Self.json(try await platform.database.read { try shown(user, $0) }, status: .created)
        }
        on(router, .get, .user) { _, context in
            let user = try await user(context)
            return try Self.json(try await platform.database.read { try shown(user, $0) })
        }
        on(router, .patch, .user) { request, context in
            let user = try await user(context)
            let change = try await body(request, as: IdentityAdmin.UserChange.self)
            try await administration.setEnabled(change.accountEnabled, user)
            return Response(status: .noContent)
        }
        on(router, .delete, .user) { _, context in
            try await administration.remove(try await user(context))
            return Response(status: .noContent)
        }
        on(router, .put, .password) { request, context in
            let user = try await user(context)
            let new = try await body(request, as: IdentityAdmin.NewPassword.self)
            try await administration.setPassword(new.password, of: user)
            return Response(status: .noContent)
        }
        on(router, .delete, .userLock) { _, context in
            try await administration.unlock(try await user(context))
            return Response(status: .noContent)
        }
    }

    /// The person that the path names, by object id or by user principal name.
    func user(_ context: some RequestContext) async throws -> User {
        let tenant = try await tenant(context)
        let name = try place("user", context)
        return try await platform.database.read { try user(named: name, tenant: tenant, $0) }
    }

    /// The person with that object id or user principal name.
    ///
    /// - Throws: ``AdminRefusal/noUser``, ``StorageError``
    func user(named name: String, tenant: Tenant, _ connection: any Connection) throws -> User {
        let users = Users(connection)
        let user =
            try UserID(rawValue: name).map { try users.find($0, tenant: tenant.id) }
            ?? users.find(name: name, tenant: tenant.id)
        guard let user else { throw AdminRefusal.noUser }
        return user
    }

    private func profile(_ new: IdentityAdmin.NewUser) -> User.Profile {
        User.Profile(
            displayName: new.displayName, givenName: new.givenName, surname: new.surname, mail: new.mail,
            jobTitle: new.jobTitle, mobilePhone: new.mobilePhone)
    }

    private func shown(_ user: User, _ connection: any Connection) throws -> IdentityAdmin.User {
        let roles = try RoleMembers(connection).roles(of: user.id, tenant: user.tenant)
        return IdentityAdmin.User(
            id: user.id.rawValue, userPrincipalName: user.userPrincipalName, displayName: user.profile.displayName,
            givenName: user.profile.givenName, surname: user.profile.surname, mail: user.profile.mail,
            jobTitle: user.profile.jobTitle, mobilePhone: user.profile.mobilePhone, accountEnabled: user.isEnabled,
            roles: DirectoryRole.all.filter { roles.contains($0.id) }.map(\.displayName))
    }
}
