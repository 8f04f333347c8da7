// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

/// The administration routes for people.
struct UserRoutes: Sendable {
    let database: any Database
    let users: UserAdministration

    func add(to router: AdminRouter<some RequestContext>) {
        router.on(.get, .users) { call in
            let tenant = try await call.tenant()
            return try Response.json(
                try await database.read { connection in
                    try Users(connection).all(tenant: tenant.id).map { try shown($0, connection) }
                })
        }
        router.on(.post, .users) { call in
            let tenant = try await call.tenant()
            let new = try await call.body(as: IdentityAdmin.NewUser.self)
            let user = try await users.add(
                new.userPrincipalName, profile: profile(new), password: new.password, tenant: tenant)
            return try Response.json(try await database.read { try shown(user, $0) }, status: .created)
        }
        router.on(.get, .user) { call in
            let user = try await call.user()
            return try Response.json(try await database.read { try shown(user, $0) })
        }
        router.on(.patch, .user) { call in
            let user = try await call.user()
            let change = try await call.body(as: IdentityAdmin.UserChange.self)
            // An empty change is refused, because the request probably misspells the name of a JSON member.
            guard !change.isEmpty else { throw AdminRefusal.malformed }
            try await users.change(user, to: change.applied(to: user))
            return Response(status: .noContent)
        }
        router.on(.delete, .user) { call in
            try await users.remove(try await call.user())
            return Response(status: .noContent)
        }
        router.on(.put, .password) { call in
            let user = try await call.user()
            let new = try await call.body(as: IdentityAdmin.NewPassword.self)
            try await users.setPassword(new.password, of: user)
            return Response(status: .noContent)
        }
        router.on(.delete, .userLock) { call in
            try await users.unlock(try await call.user())
            return Response(status: .noContent)
        }
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

extension IdentityAdmin.UserChange {
    fileprivate var isEmpty: Bool {
        accountEnabled == nil
            && [displayName, givenName, surname, mail, jobTitle, mobilePhone].allSatisfy { $0 == nil }
    }

    /// Returns the complete change for the directory. Omitted fields keep their value; an empty text clears a field.
    fileprivate func applied(to user: User) -> UserAdministration.Change {
        func chosen(_ wanted: String?, _ present: String?) -> String? {
            guard let wanted else { return present }
            return wanted.isEmpty ? nil : wanted
        }
        let profile = user.profile
        return UserAdministration.Change(
            profile: User.Profile(
                displayName: displayName ?? profile.displayName, givenName: chosen(givenName, profile.givenName),
                surname: chosen(surname, profile.surname), mail: chosen(mail, profile.mail),
                jobTitle: chosen(jobTitle, profile.jobTitle), mobilePhone: chosen(mobilePhone, profile.mobilePhone)),
            isEnabled: accountEnabled)
    }
}
