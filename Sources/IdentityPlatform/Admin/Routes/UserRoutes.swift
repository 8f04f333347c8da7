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
                return try Page(users, of: page, key: \.listKey) { try shown($0, connection) }
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
            guard !change.isEmpty else { throw AdminRefusal.malformed }
            try await acts(call, changing: user).change(user, to: change.applied(to: user))
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
