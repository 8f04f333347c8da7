// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Storage

/// Looks up the tenants that calls name.
struct MDMAdminTenants: Sendable {
    let database: any Database

    /// Returns a call for the tenant in its path.
    ///
    /// - Throws: ``MDMAdminRefusal``, ``StorageError``
    func prepare(_ received: OperationCall) async throws -> MDMAdminCall {
        // The audit log of a removed tenant stays readable for as long as its lines are kept.
        let logs = [MDMAdmin.listManagementAuditEntries.operation, MDMAdmin.exportManagementAuditEntries.operation]
        let isLog = logs.contains { $0.id == received.operation.id }
        let tenant = try await tenant(try received.place("tenant"), for: received.caller, orRemoved: isLog)
        return MDMAdminCall(received: received, tenant: tenant)
    }

    private func tenant(_ name: String, for caller: AdminCaller, orRemoved: Bool) async throws -> TenantID {
        let known = try await database.read {
            try $0.records(Organization.self, "WHERE removed IS NULL ORDER BY domain")
        }
        // A caller learns nothing of other tenants, not even whether they exist.
        if let own = caller.tenant {
            let found = known.first { $0.id == own }
            guard let found, name == "-" || found.isNamed(name) else { throw Self.missing(name) }
            return found.id
        }
        if name == "-" {
            guard known.count <= 1 else {
                let (message, remedy) = AdminFailure.ambiguousTenant(known.map(\.address))
                throw MDMAdminRefusal(.ambiguousTenant, message, remedy: remedy)
            }
            guard let only = known.first else { throw MDMAdminRefusal(.noTenants) }
            return only.id
        }
        if orRemoved, let id = TenantID(rawValue: name.lowercased()),
            try await database.read({ try $0.exists(Organization.self, "WHERE id = \(id) AND removed IS NOT NULL") })
        {
            return id
        }
        guard let found = known.first(where: { $0.isNamed(name) }) else { throw Self.missing(name) }
        return found.id
    }

    private static func missing(_ name: String) -> MDMAdminRefusal {
        MDMAdminRefusal(.noTenant, "There is no tenant \(name).")
    }
}

extension Organization {
    /// Whether a text is the tenant's id or domain.
    fileprivate func isNamed(_ text: String) -> Bool { [id.rawValue, domain].contains(text.lowercased()) }
}
