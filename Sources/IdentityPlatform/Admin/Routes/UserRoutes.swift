// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import Storage

/// The administration routes for people.
struct UserRoutes: Sendable {
    let database: any Database

    func add(to router: AdminRouter) {
        router.on(list: IdentityAdmin.listUsers) { call, page in
            let tenant = try await call.tenant()
            return try await database.read { connection in
                let users = try Users(connection).all(tenant: tenant.id, on: page)
                let roles = try RoleMembers(connection).roles(of: users.map(\.id), tenant: tenant.id)
                return Page(users, of: page, key: \.listKey) { shown($0, roles: roles[$0.id] ?? []) }
            }
        }
        router.on(IdentityAdmin.addUser) { call, body in
            let tenant = try await call.tenant()
            let new = try body.decoded()
            let user = try await call.acts.users.add(
                new.userPrincipalName, profile: profile(new), password: new.password, tenant: tenant)
            return try await database.read { try shown(user, $0) }
        }
        router.on(object: IdentityAdmin.getUser) { call in
            let user = try await call.user()
            return try await database.read { try shown(user, $0) }
        }
        router.on(IdentityAdmin.changeUser) { call, body in
            let user = try await call.user()
            let change = try body.decoded()
            // An empty change is refused, because the request probably misspells the name of a JSON member.
            guard !change.isEmpty else { throw body.emptyChange() }
            try await acts(call, changing: user).change(user, to: change.forDirectory)
        }
        router.on(IdentityAdmin.removeUser) { call in
            let user = try await call.user()
            try await acts(call, changing: user).remove(user)
        }
        router.on(IdentityAdmin.setPassword) { call, body in
            let user = try await call.user()
            let new = try body.decoded()
            try await call.acts(on: user).users.setPassword(new.password, of: user)
        }
        router.on(IdentityAdmin.unlockUser) { call in
            let user = try await call.user()
            try await call.acts(on: user).users.unlock(user)
        }
    }

    private func acts(_ call: AdminCall, changing user: User) -> UserAdministration {
        call.acts(on: user) { connection in
            guard let user = try Users(connection).find(user.id, tenant: user.tenant) else { throw AdminRefusal.noUser }
            return try shown(user, connection)
        }.users
    }

    private func profile(_ new: IdentityAdmin.NewUser) -> User.Profile {
        func given(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
        return User.Profile(
            displayName: new.displayName, givenName: given(new.givenName), surname: given(new.surname),
            mail: given(new.mail), jobTitle: given(new.jobTitle), mobilePhone: given(new.mobilePhone))
    }

    private func shown(_ user: User, _ connection: any Connection) throws -> IdentityAdmin.User {
        shown(user, roles: Set(try RoleMembers(connection).roles(of: user.id, tenant: user.tenant)))
    }

    private func shown(_ user: User, roles: Set<RoleID>) -> IdentityAdmin.User {
        IdentityAdmin.User(
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

    /// The change for the directory. Omitted fields keep their value; an empty text clears a field.
    fileprivate var forDirectory: UserAdministration.Change {
        @Sendable func chosen(_ wanted: String?, _ present: String?) -> String? {
            guard let wanted else { return present }
            return wanted.isEmpty ? nil : wanted
        }
        return UserAdministration.Change(isEnabled: accountEnabled) { [self] present in
            User.Profile(
                displayName: displayName ?? present.displayName, givenName: chosen(givenName, present.givenName),
                surname: chosen(surname, present.surname), mail: chosen(mail, present.mail),
                jobTitle: chosen(jobTitle, present.jobTitle), mobilePhone: chosen(mobilePhone, present.mobilePhone))
        }
    }
}
