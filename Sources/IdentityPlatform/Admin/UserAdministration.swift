// SPDX-License-Identifier: Apache-2.0
package import Redaction
internal import Storage

/// Administrative acts on people, their roles and their sessions.
package struct UserAdministration: Sendable {
    let transactions: AdminTransactions
    let passwords: Passwords
    let newPasswords: NewPasswords

    /// A change to a person. A nil `isEnabled` or `password` means that this value is not changed.
    package struct Change: Sendable {
        /// Takes the present profile, as read in the transaction of the change, and returns the new profile.
        package var profile: @Sendable (User.Profile) -> User.Profile
        package var isEnabled: Bool?
        package var password: Sensitive<String>?

        package init(
            isEnabled: Bool? = nil, password: Sensitive<String>? = nil,
            profile: @escaping @Sendable (User.Profile) -> User.Profile
        ) {
            (self.profile, self.isEnabled, self.password) = (profile, isEnabled, password)
        }
    }

    /// Adds a person.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func add(
        _ name: String, profile: User.Profile, password: Sensitive<String>, isEnabled: Bool = true, tenant: Tenant
    ) async throws -> User {
        try NameRules.check(profile)
        guard NameRules.isUserName(name, in: tenant.domain) else {
            throw AdminRefusal.badUserName.naming(
                "The user principal name is malformed or outside the tenant's domain, \(tenant.domain).",
                "Use a name such as amara@\(tenant.domain); another tenant is named by --tenant.")
        }
        let hash = try await newPasswords.hash(password)
        let user = User(
            tenant: tenant.id, id: transactions.environment.identifier(), userPrincipalName: name, profile: profile,
            isEnabled: isEnabled)
        try await transactions.write { act in
            try Users(act.connection).add(user, password: hash, at: act.now)
            try act.record(.userAdded, of: tenant.id, subject: user.id.rawValue)
        }
        return user
    }

    /// Assigns a directory role.
    ///
    /// - Throws: ``StorageError``
    package func assign(_ role: DirectoryRole, to user: User) async throws {
        try await transactions.write { act in
            guard try RoleMembers(act.connection).assign(role, to: user.id, tenant: user.tenant) else { return }
            try act.record(.roleAssigned, of: user.tenant, subject: "\(role.id) \(user.id)")
        }
    }

    /// Removes a directory role from a person.
    ///
    /// - Throws: ``AdminRefusal/lastAdministrator``, ``StorageError``
    package func unassign(_ role: DirectoryRole, from user: User) async throws {
        try await transactions.write { act in
            if role == .globalAdministrator { try act.keepGlobalAdministrator(besides: user) }
            guard try RoleMembers(act.connection).unassign(role, from: user.id, tenant: user.tenant) else { return }
            try act.record(.roleUnassigned, of: user.tenant, subject: "\(role.id) \(user.id)")
        }
    }

    /// Applies all parts of a change to a person in one transaction.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func change(_ user: User, to change: Change) async throws {
        let hash: PasswordHash?
        if let password = change.password { hash = try await newPasswords.hash(password) } else { hash = nil }
        try await transactions.write { act in
            guard let former = try Users(act.connection).find(user.id, tenant: user.tenant)?.profile else {
                throw AdminRefusal.noUser
            }
            let profile = change.profile(former)
            if profile != former {
                try NameRules.check(profile, after: former)
                try Users(act.connection).setProfile(profile, of: user.id, tenant: user.tenant)
                try act.record(.userChanged, of: user.tenant, subject: user.id.rawValue)
            }
            if let hash { try set(hash, of: user, in: act) }
            if let isEnabled = change.isEnabled { try set(isEnabled, of: user, in: act) }
        }
    }

    /// Sets a password, ends every session of the person, removes their Windows Hello keys and resets the count of
    /// wrong passwords.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func setPassword(_ password: Sensitive<String>, of user: User) async throws {
        let hash = try await newPasswords.hash(password)
        try await transactions.write { act in try set(hash, of: user, in: act) }
    }

    /// Resets the count of wrong passwords, so that the person can try again.
    ///
    /// - Throws: ``StorageError``
    package func unlock(_ user: User) async throws {
        try await transactions.write { act in
            guard try passwords.forgive(user, act.connection) else { return }
            try act.record(.userUnlocked, of: user.tenant, subject: user.id.rawValue)
        }
    }

    /// Enables a person, or disables them and ends all their sessions.
    ///
    /// - Throws: ``AdminRefusal/lastAdministrator``, ``StorageError``
    package func setEnabled(_ isEnabled: Bool, _ user: User) async throws {
        try await transactions.write { act in try set(isEnabled, of: user, in: act) }
    }

    /// Ends every session of a person on all devices.
    ///
    /// - Throws: ``StorageError``
    package func revokeSessions(of user: User) async throws {
        try await transactions.write { act in
            let hasEnded = try Sessions(act.connection).endAll(
                of: user.id, tenant: user.tenant, at: act.now, because: .revoked, by: act.actor)
            guard hasEnded else { return }
            try act.record(.userSessionsRevoked, of: user.tenant, subject: user.id.rawValue)
        }
    }

    /// Ends one session. It is not an error if the session has already ended.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func revoke(_ session: SessionID, tenant: Tenant) async throws {
        try await transactions.write { act in
            let sessions = Sessions(act.connection)
            guard try sessions.find(session, tenant: tenant.id) != nil else { throw AdminRefusal.noSession }
            try sessions.end(session, tenant: tenant.id, at: act.now, because: .revoked, by: act.actor)
        }
    }

    private func set(_ hash: PasswordHash, of user: User, in act: AdminTransaction) throws {
        try Users(act.connection).setPassword(hash, of: user.id, tenant: user.tenant)
        try passwords.forgive(user, act.connection)
        try HelloKeys(act.connection).removeAll(of: user.id, tenant: user.tenant)
        try Sessions(act.connection).endAll(
            of: user.id, tenant: user.tenant, at: act.now, because: .passwordSet, by: act.actor)
        try act.record(.passwordSet, of: user.tenant, subject: user.id.rawValue)
    }

    private func set(_ isEnabled: Bool, of user: User, in act: AdminTransaction) throws {
        if !isEnabled { try act.keepGlobalAdministrator(besides: user) }
        guard try Users(act.connection).setEnabled(isEnabled, user.id, tenant: user.tenant) else { return }
        try act.record(isEnabled ? .userEnabled : .userDisabled, of: user.tenant, subject: user.id.rawValue)
        guard !isEnabled else { return }
        try Sessions(act.connection).endAll(
            of: user.id, tenant: user.tenant, at: act.now, because: .personDisabled, by: act.actor)
    }
}
