// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import AdminServer
internal import Foundation
internal import Logging
internal import MDMProtocol
package import Storage

extension MDMService {
    /// Creates the tenant or updates its organisation's name and domain.
    ///
    /// - Parameter domain: the tenant's domain, which people use to name the tenant.
    /// - Throws: ``MDMAdminRefusal``, ``StorageError``
    package func prepareTenant(_ tenant: TenantID, organization: String, domain: String) async throws {
        guard let uuid = UUID(uuidString: tenant.rawValue) else { throw MDMAdminRefusal(.malformedTenant) }
        // Pushes through Apple's service would require a certificate from Apple. Baton does not use that service, so
        // the topic only needs the right form.
        let topic = "com.apple.mgmt.External.\(StableUUID.make(namespace: uuid, name: "topic").lowercased())"
        try await database.write { connection in
            // Another node may have removed the tenant meanwhile. Without a change nothing is written, so that the nodes'
            // calls do not conflict.
            try connection.insert(
                into: Organization.self,
                [.id: tenant, .organization: organization, .topic: topic, .domain: domain.lowercased()],
                """
                ON CONFLICT (id) DO UPDATE SET organization = excluded.organization, domain = excluded.domain
                WHERE tenant.removed IS NULL AND (
                    tenant.organization <> excluded.organization OR COALESCE(tenant.domain, '') <> excluded.domain)
                """)
        }
    }

    /// Returns the number of devices and other items that device management stores for a tenant.
    ///
    /// - Throws: ``StorageError``
    package func holdings(of tenant: TenantID) async throws -> IdentityAdmin.ManagedHoldings {
        let now = sources.now()
        return try await database.read { connection in
            IdentityAdmin.ManagedHoldings(
                devices: try connection.count(
                    of: DeviceRecord.self, "WHERE tenant = \(tenant) AND state <> \(DeviceRecord.State.left)"),
                enrollmentProfiles: try connection.count(
                    of: Enrollment.self,
                    """
                    WHERE tenant = \(tenant) AND state = \(Enrollment.State.issued) AND expiresAt > \(now)
                    """),
                profiles: try connection.count(of: Profiles.Entry.self, "WHERE tenant = \(tenant)"),
                apps: try connection.count(of: OfferedApp.self, "WHERE tenant = \(tenant)"))
        }
    }

    /// Removes all data of a tenant except its audit log. An unknown tenant is not an error.
    ///
    /// - Throws: ``StorageError``
    package func removeTenant(_ tenant: TenantID) async throws {
        let now = sources.now()
        let isRemoved = try await database.write { connection in
            guard try connection.exists(Organization.self, "WHERE id = \(tenant) AND removed IS NULL") else {
                return false
            }
            for table in ["device", "enrollment", "profile", "app"] as [SQL] {
                try connection.execute("DELETE FROM \(table) WHERE tenant = \(tenant)")
            }
            try IdempotencyKeys.forget(tenant, in: connection)
            try connection.execute("UPDATE tenant SET removed = \(now), domain = NULL WHERE id = \(tenant)")
            try AuditLog(connection).append(
                AuditLine(
                    .tenantRemoved, tenant: tenant, actor: AuditLog.localOperator, subject: tenant.rawValue, at: now))
            return true
        }
        if isRemoved { Logger.current.info("tenant removed", metadata: ["tenant.id": "\(tenant)"]) }
    }

    /// Removes what is no longer needed: unfinished copies of packages, and packages without an app.
    ///
    /// - Throws: ``StorageError``
    package func sweepPackages() async throws { try await packages.sweep() }

    /// Returns the ids of the tenants that have not been removed.
    ///
    /// - Throws: ``StorageError``
    package func tenants() async throws -> [TenantID] {
        try await database.read { try $0.values(.id, of: Organization.self, "WHERE removed IS NULL") }
    }
}
