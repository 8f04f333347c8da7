// SPDX-License-Identifier: Apache-2.0
package import Redaction
internal import Storage

extension Administration {
    /// What may be changed of a person at once; nil leaves it as it is.
    package struct PersonChange: Sendable {
        package var profile: User.Profile
        package var isEnabled: Bool?
        package var password: Sensitive<String>?

        package init(profile: User.Profile, isEnabled: Bool? = nil, password: Sensitive<String>? = nil) {
            (self.profile, self.isEnabled, self.password) = (profile, isEnabled, password)
        }
    }

    /// Changes a person in one transaction: all of it, or nothing.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func change(_ user: User, to change: PersonChange) async throws {
        try check(displayName: change.profile.displayName)
        let hash: PasswordHash?
        if let password = change.password { hash = try await self.hash(password) } else { hash = nil }
        try await write { connection, now in
            if change.profile != user.profile {
                try Users(connection).setProfile(change.profile, of: user.id, tenant: user.tenant)
                try record(.userChanged, user.tenant, user.id.rawValue, now, connection)
            }
            if let hash { try set(hash, of: user, at: now, connection) }
            if let isEnabled = change.isEnabled { try set(isEnabled, of: user, at: now, connection) }
        }
    }

    /// Sets a password, ends every session of the person and forgives the wrong passwords before it.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func setPassword(_ password: Sensitive<String>, of user: User) async throws {
        let hash = try await hash(password)
        try await write { connection, now in try set(hash, of: user, at: now, connection) }
    }

    /// Lets a person try passwords again, after however many wrong ones.
    ///
    /// - Throws: ``StorageError``
    package func unlock(_ user: User) async throws {
        try await write { connection, now in
            try platform.passwords.forgive(user, connection)
            try record(.userUnlocked, user.tenant, user.id.rawValue, now, connection)
        }
    }

    /// Lets a person sign in again, or forbids it and ends every session of theirs.
    ///
    /// - Throws: ``StorageError``
    package func setEnabled(_ isEnabled: Bool, _ user: User) async throws {
        try await write { connection, now in try set(isEnabled, of: user, at: now, connection) }
    }

    /// Ends every session of a person, on every device.
    ///
    /// - Throws: ``StorageError``
    package func revokeSessions(of user: User) async throws {
        try await write { connection, now in
            try record(.userSessionsRevoked, user.tenant, user.id.rawValue, now, connection)
            try Sessions(connection).endAll(
                of: user.id, tenant: user.tenant, at: now, because: .revoked, by: actor.name)
        }
    }

    /// Ends one session; one that has ended is no error.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func revoke(_ session: SessionID, tenant: Tenant) async throws {
        try await write { connection, now in
            let sessions = Sessions(connection)
            guard try sessions.find(session, tenant: tenant.id) != nil else { throw AdminRefusal.noSession }
            try sessions.end(session, tenant: tenant.id, at: now, because: .revoked, by: actor.name)
        }
    }

    /// Removes a person with everything that hangs on them: sessions, roles, and the devices that are their own.
    ///
    /// - Throws: ``StorageError``
    package func remove(_ user: User) async throws {
        try await write { connection, now in
            try Sessions(connection).endAll(
                of: user.id, tenant: user.tenant, at: now, because: .personRemoved, by: actor.name)
            for device in try Devices(connection).owned(by: user.id, tenant: user.tenant) {
                _ = try Devices(connection).remove(device, tenant: user.tenant, at: now, by: actor.name)
                try record(.deviceRemoved, user.tenant, device.rawValue, now, connection)
            }
            try Users(connection).remove(user.id, tenant: user.tenant)
            try record(.userRemoved, user.tenant, user.id.rawValue, now, connection)
        }
    }

    private func set(_ hash: PasswordHash, of user: User, at now: Timestamp, _ connection: any Connection) throws {
        try Users(connection).setPassword(hash, of: user.id, tenant: user.tenant)
        try platform.passwords.forgive(user, connection)
        try HelloKeys(connection).removeAll(of: user.id, tenant: user.tenant)
        try Sessions(connection).endAll(
            of: user.id, tenant: user.tenant, at: now, because: .passwordSet, by: actor.name)
        try record(.passwordSet, user.tenant, user.id.rawValue, now, connection)
    }

    private func set(_ isEnabled: Bool, of user: User, at now: Timestamp, _ connection: any Connection) throws {
        try Users(connection).setEnabled(isEnabled, user.id, tenant: user.tenant)
        try record(isEnabled ? .userEnabled : .userDisabled, user.tenant, user.id.rawValue, now, connection)
        guard !isEnabled else { return }
        try Sessions(connection).endAll(
            of: user.id, tenant: user.tenant, at: now, because: .personDisabled, by: actor.name)
    }
}
