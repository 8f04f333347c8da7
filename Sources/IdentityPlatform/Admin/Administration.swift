// SPDX-License-Identifier: Apache-2.0
package import Redaction
internal import Storage

/// Acts on tenants, people, groups, roles, clients and devices, by whatever method they come; each is one transaction with its
/// line of the audit log.
package struct Administration: Sendable {
    let platform: Platform
    let actor: AdminActor

    package init(_ platform: Platform, as actor: AdminActor = .localOperator) {
        (self.platform, self.actor) = (platform, actor)
    }

    /// Makes an organisation with signing keys and the well-known clients.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func addTenant(displayName: String, domain: String) async throws -> Tenant {
        let domain = domain.lowercased()
        try check(displayName: displayName)
        guard Self.isDomain(domain) else { throw AdminRefusal.badDomain }
        let tenant = Tenant(
            id: platform.environment.identifier(), displayName: displayName, domain: domain,
            pairwiseSalt: platform.environment.randomBytes(32))
        let time = platform.environment.now()
        let keys = try await unhurried {
            try await platform.administrationHashing.run { [environment = platform.environment] in
                try KeySchedule.algorithms.map { try TenantKey.generate($0, created: time, signs: time, environment) }
            }
        }
        try await write { connection, now in
            try Tenants(connection).add(tenant, at: now)
            for (key, stored) in keys { try platform.keys.add(key, stored: stored, tenant: tenant.id, connection) }
            for client in WellKnownClient.ofEveryTenant {
                try Clients(connection).add(client.registration(in: tenant.id), at: now)
            }
            try record(.tenantAdded, tenant.id, tenant.id.rawValue, now, connection)
        }
        return tenant
    }

    /// Adds a person.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func addUser(
        _ name: String, profile: User.Profile, password: Sensitive<String>, isEnabled: Bool = true, tenant: Tenant
    ) async throws -> User {
        try check(displayName: profile.displayName)
        let parts = name.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, name.utf8.count <= 256, parts[1].lowercased() == tenant.domain,
            parts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { throw AdminRefusal.badUserName }
        let hash = try await hash(password)
        let user = User(
            tenant: tenant.id, id: platform.environment.identifier(), userPrincipalName: name, profile: profile,
            isEnabled: isEnabled)
        try await write { connection, now in
            try Users(connection).add(user, password: hash, at: now)
            try record(.userAdded, tenant.id, user.id.rawValue, now, connection)
        }
        return user
    }

    /// Gives a directory role.
    ///
    /// - Throws: ``StorageError``
    package func assign(_ role: DirectoryRole, to user: User) async throws {
        try await write { connection, now in
            try RoleMembers(connection).assign(role, to: user.id, tenant: user.tenant)
            try record(.roleAssigned, user.tenant, "\(role.id) \(user.id)", now, connection)
        }
    }

    /// Takes a directory role away.
    ///
    /// - Throws: ``StorageError``
    package func unassign(_ role: DirectoryRole, from user: User) async throws {
        try await write { connection, now in
            try RoleMembers(connection).unassign(role, from: user.id, tenant: user.tenant)
            try record(.roleUnassigned, user.tenant, "\(role.id) \(user.id)", now, connection)
        }
    }

    func hash(_ password: Sensitive<String>) async throws -> PasswordHash {
        guard password.exposed.count >= 8, password.exposed.utf8.count <= 256 else { throw AdminRefusal.weakPassword }
        let secret = SecretBytes(copying: Array(password.exposed.utf8))
        return try await unhurried {
            if let breached = platform.breachedPasswords {
                let isBreached: Bool
                do {
                    isBreached = try await platform.administrationHashing.run { try breached.contains(secret) }
                } catch is BreachedPasswords.Failure {
                    throw AdminRefusal.passwordListUnreadable
                }
                guard !isBreached else { throw AdminRefusal.breachedPassword }
            }
            return try await platform.passwords.hash(secret)
        }
    }

    func unhurried<T>(_ work: () async throws -> T) async throws -> T {
        do { return try await work() } catch is HashingPool.Busy { throw AdminRefusal.busy }
    }

    func check(displayName: String) throws {
        guard (1...256).contains(displayName.utf8.count) else { throw AdminRefusal.badDisplayName }
    }

    private static func isDomain(_ text: String) -> Bool {
        text.utf8.count <= 253 && text.split(separator: ".", omittingEmptySubsequences: false).count >= 2
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.utf8.count <= 63 && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            }
    }

    /// One act: whoever does it is judged in its transaction.
    @discardableResult
    func write<T: Sendable>(
        _ body: @escaping @Sendable (any Connection, Timestamp) throws -> T
    ) async throws -> T {
        let now = platform.environment.now()
        do {
            return try await platform.database.write { connection in
                try actor.confirm(connection)
                return try body(connection, now)
            }
        } catch let error as StorageError where error.code == .conflict {
            throw AdminRefusal.taken
        }
    }

    /// Writes the act's line of the audit log.
    func record(
        _ action: AuditAction, _ tenant: TenantID, _ subject: String?, _ now: Timestamp, _ connection: any Connection
    ) throws {
        try AuditLog(connection).append(action, tenant: tenant, actor: actor.name, subject: subject, at: now)
    }
}
