// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Storage

/// Looks up the tenants that calls name.
struct MDMAdminTenants: Sendable {
    let database: any Database

    /// Returns a call for the tenant in its path.
    ///
    /// - Throws: ``MDMAdminRefusal``, ``OperationRefusal``, ``StorageError``
    func prepare(_ received: OperationCall) async throws -> MDMAdminCall {
        // The audit log of a removed tenant stays readable for as long as its lines are kept.
        let logs = [MDMAdmin.listManagementAuditEntries.operation, MDMAdmin.exportManagementAuditEntries.operation]
        let isLog = logs.contains { $0.id == received.operation.id }
        let (name, own) = (try received.name("tenant"), received.caller.tenant)
        let tenant = try await database.read { connection in
            let items = NamedItems(connection)
            guard let own else {
                if isLog, let id = TenantID(rawValue: name.text),
                    try connection.exists(Organization.self, "WHERE id = \(id) AND removed IS NOT NULL")
                {
                    return id
                }
                return try name.text == "-" ? items.onlyTenant() : items.tenant(name)
            }
            // A caller learns nothing of other tenants, not even whether they exist.
            let isOwn = try name.text == "-" || items.tenant(name) == own
            guard isOwn, try connection.exists(Organization.self, "WHERE id = \(own) AND removed IS NULL") else {
                throw MDMAdminRefusal(.noTenant, "There is no tenant \(name.text).")
            }
            return own
        }
        return MDMAdminCall(received: received, tenant: tenant)
    }
}
