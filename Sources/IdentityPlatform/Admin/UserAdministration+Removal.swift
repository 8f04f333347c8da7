// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import AdminServer
internal import Storage

extension UserAdministration {
    /// Removes a person together with their sessions, roles and personal devices. The audit log keeps the person's id.
    ///
    /// - Throws: ``AdminRefusal/lastAdministrator``, ``StorageError``
    package func remove(_ user: User) async throws {
        try await transactions.write { act in
            try remove(user, in: act)
            try act.record(.userRemoved, of: user.tenant, subject: user.id.rawValue)
        }
    }

    /// Removes a person, and replaces the person's id in the audit log with a random pseudonym (``Erasures``). After
    /// that, nothing that the server stores reveals who the person was.
    ///
    /// - Throws: ``AdminRefusal/noUser`` if the person was removed meanwhile; ``AdminRefusal/lastAdministrator``,
    ///   ``StorageError``
    package func erase(_ user: User) async throws -> IdentityAdmin.Erasure {
        let nobody = transactions.environment.identifier(of: User.self)
        let pseudonym = "erased-\(nobody)"
        let (erasure, removed) = try await transactions.write { act in
            guard try Users(act.connection).find(user.id, tenant: user.tenant) != nil else { throw AdminRefusal.noUser }
            let erasure = PendingErasure(tenant: user.tenant, person: user.id, pseudonym: pseudonym, begun: act.now)
            let removed = try IdentityAdmin.PersonalHoldings(of: user, act.connection)
            try remove(user, in: act)
            try DeviceBrowsers(act.connection).replace(user.id, with: nobody, tenant: user.tenant)
            try erasure.begin(act.connection)
            try act.record(.userErased, of: user.tenant, subject: pseudonym)
            return (erasure, removed)
        }
        let lines = try await Erasures(database: transactions.database, environment: transactions.environment)
            .pass(erasure)
        return IdentityAdmin.Erasure(pseudonym: pseudonym, auditEntries: lines, removed: removed)
    }

    private func remove(_ user: User, in act: AdminTransaction) throws {
        try act.keepGlobalAdministrator(besides: user)
        try Sessions(act.connection).endAll(
            of: user.id, tenant: user.tenant, at: act.now, because: .personRemoved, by: act.actor)
        for device in try Devices(act.connection).owned(by: user.id, tenant: user.tenant) {
            _ = try Devices(act.connection).remove(device, tenant: user.tenant, at: act.now, by: act.actor)
            try act.record(.deviceRemoved, of: user.tenant, subject: device.rawValue)
        }
        try passwords.forget(user, act.connection)
        try Users(act.connection).remove(user.id, tenant: user.tenant)
        // Stored answers name people.
        try IdempotencyKeys.forget(user.tenant, person: user.id.rawValue, in: act.connection)
    }
}

extension IdentityAdmin.PersonalHoldings {
    /// Counts what the server stores about a person.
    ///
    /// - Throws: ``StorageError``
    init(of user: User, _ connection: any Connection) throws {
        self.init(
            sessions: try connection.count(
                of: Session.self, "WHERE tenant = \(user.tenant) AND person = \(user.id) AND ended IS NULL"),
            devices: try Devices(connection).owned(by: user.id, tenant: user.tenant).count)
    }
}
