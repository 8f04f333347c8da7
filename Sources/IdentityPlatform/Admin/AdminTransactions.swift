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
}
