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
        let (name, reach) = (try received.name("tenant"), received.caller.reach)
        let tenant = try await database.read { connection in
            let items = NamedItems(connection)
            switch reach {
            case .everyTenant:
                if isLog, let id = TenantID(rawValue: name.text),
                    try connection.exists(Organization.self, "WHERE id = \(id) AND removed IS NOT NULL")
                {
                    return id
                }
                return try name.text == "-" ? items.onlyTenant() : items.tenant(name)
            case .tenant(let own):
                let named: TenantID?
                do { named = try name.text == "-" ? own : items.tenant(name) } catch let refusal as MDMAdminRefusal
                    where refusal.code == .noTenant
                {
                    named = nil
                }
                if named == own, try connection.exists(Organization.self, "WHERE id = \(own) AND removed IS NULL") {
                    return own
                }
            case .noTenant: break
            }
            throw MDMAdminRefusal(
                .noTenant, "There is no tenant \(name.text).", remedy: AdminFailure.foreignTenantRemedy)
        }
        return MDMAdminCall(received: received, tenant: tenant)
    }
}
