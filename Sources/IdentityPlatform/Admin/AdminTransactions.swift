// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Runs the transactions of one administrator.
struct AdminTransactions: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let actor: AdminActor

    init(_ platform: Platform, as actor: AdminActor) {
        (database, environment, self.actor) = (platform.database, platform.environment, actor)
    }

    /// Runs one act in a transaction. The actor's permission is checked in the same transaction.
    ///
    /// - Throws: ``AdminRefusal`` `taken` if a name or an id is already taken; ``StorageError``, or the error of
    ///   `body`.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (AdminTransaction) throws -> T) async throws -> T {
        let now = environment.now()
        do {
            return try await database.write { connection in
                try actor.confirm(connection)
                return try body(AdminTransaction(connection: connection, now: now, actor: actor.name))
            }
        } catch let error as StorageError where error.code == .conflict {
            throw AdminRefusal.taken
        }
    }
}

/// The transaction of one administrative act.
struct AdminTransaction {
    let connection: any Connection
    let now: Timestamp
    /// The name of the actor in the audit log.
    let actor: String

    /// Appends the act's entry to the audit log.
    ///
    /// - Throws: ``StorageError``
    func record(
        _ action: AuditAction, of tenant: TenantID, subject: String? = nil, detail: String? = nil
    ) throws {
        try AuditLog(connection).append(
            AuditLine(action, tenant: tenant, actor: actor, subject: subject, detail: detail, at: now))
    }

    /// Refuses an act that leaves a tenant without an enabled Global Administrator. Nobody could assign the role again, except
    /// the operator of the server's machine.
    ///
    /// The operator may act nevertheless: an account that somebody has stolen must be stopped at once, and the operator can
    /// assign the role to another person at any time.
    ///
    /// - Parameter user: the person who is going to lose the role, to be disabled or to be removed.
    /// - Throws: ``AdminRefusal/lastAdministrator``, ``StorageError``
    func keepGlobalAdministrator(besides user: User) throws {
        guard actor != AuditLog.localOperator else { return }
        let enabled = try RoleMembers(connection).enabledMembers(
            of: .globalAdministrator, tenant: user.tenant, limit: 2)
        guard enabled != [user.id] else { throw AdminRefusal.lastAdministrator }
    }
}
