// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
package import AdminServer
internal import Logging
package import Storage

/// Administrative acts on break-glass access. Only the operator of a node can grant it, over the administration socket.
package struct BreakGlassAdministration: Sendable {
    let transactions: AdminTransactions

    /// The number of minutes for which access can be granted.
    package static let minutes = 1...240
    package static let defaultMinutes = 60

    /// Grants a role to a person for some minutes.
    ///
    /// - Parameter grantedBy: who grants it, in the words of the interface through which the call arrived.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func grant(
        _ role: DirectoryRole, to user: User, minutes: Int = defaultMinutes, reason: String, by grantedBy: String
    ) async throws -> BreakGlassGrant {
        guard Self.minutes.contains(minutes) else { throw AdminRefusal.breakGlassTime }
        guard Self.isReason(reason) else { throw AdminRefusal.breakGlassReason }
        let id = transactions.environment.identifier(of: BreakGlassGrant.self)
        let grant = try await transactions.write { act in
            let grants = BreakGlassGrants(act.connection)
            guard let present = try Users(act.connection).find(user.id, tenant: user.tenant) else {
                throw AdminRefusal.noUser
            }
            guard present.isEnabled else { throw AdminRefusal.breakGlassDisabled }
            guard try grants.active(of: user.id, tenant: user.tenant, at: act.now).isEmpty else {
                throw AdminRefusal.breakGlassActive
            }
            try grants.add(
                id, role, to: user, reason: reason, by: grantedBy, from: act.now,
                to: act.now + .seconds(minutes * 60))
            guard let grant = try grants.find(id, tenant: user.tenant) else { throw AdminRefusal.fault }
            try act.record(
                .breakGlassGranted, of: user.tenant, subject: grant.subject,
                detail: "role=\(role.id) minutes=\(minutes) \(grantedBy) reason=\(reason)")
            return grant
        }
        Logger.current.warning(
            "break-glass access was granted", metadata: ["grant.id": "\(id)", "grant.minutes": "\(minutes)"])
        return grant
    }

    /// Ends break-glass access at once. It is not an error if the access has ended already.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func revoke(_ id: BreakGlassID, tenant: TenantID) async throws {
        let isEnded = try await transactions.write { act in
            let grants = BreakGlassGrants(act.connection)
            guard let grant = try grants.find(id, tenant: tenant) else { throw AdminRefusal.noBreakGlass }
            return try grants.end(grant, at: act.now, outcome: "revoked", by: act.actor)
        }
        if isEnded { Logger.current.warning("break-glass access was revoked", metadata: ["grant.id": "\(id)"]) }
    }

    /// Returns an organisation's newest grants with their people, and whether each grant is active.
    ///
    /// - Throws: ``StorageError``
    func list(_ tenant: TenantID) async throws -> [(grant: BreakGlassGrant, person: User?, isActive: Bool)] {
        let now = transactions.environment.now()
        return try await transactions.database.read { connection in
            try BreakGlassGrants(connection).newest(100, tenant: tenant).map { grant in
                (grant, try Users(connection).find(grant.person, tenant: tenant), grant.isActive(at: now))
            }
        }
    }

    private static func isReason(_ text: String) -> Bool {
        (10...300).contains(text.utf8.count) && ShownText.isPlain(text) && ShownText.isVisible(text)
    }
}

extension Platform {
    /// The response header of the administration that states until when break-glass access is in force.
    package static let breakGlassHeader = IdentityAdmin.breakGlassHeader

    /// Returns when the last active break-glass grant ends in the organisations that an administrator can name; nil if
    /// none is active.
    ///
    /// - Throws: ``StorageError``
    package func endOfBreakGlass(for reach: AdminCaller.Reach) async throws -> Timestamp? {
        let tenant: TenantID?
        switch reach {
        case .noTenant: return nil
        case .tenant(let own): tenant = own
        case .everyTenant: tenant = nil
        }
        let now = environment.now()
        return try await database.read { try BreakGlassGrants($0).ends(at: now, tenant: tenant) }.max()
    }
}
