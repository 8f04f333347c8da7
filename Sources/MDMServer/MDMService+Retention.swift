// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import Storage

extension MDMService {
    /// Deletes audit entries and finished commands whose retention period has ended. Commands that wait are kept,
    /// however old they are.
    ///
    /// - Parameter step: for each kind of row, the maximum number that one transaction deletes.
    /// - Returns: how many rows were deleted; 0 if nothing is left to do for now.
    /// - Throws: ``StorageError``
    package func sweep(step: Int = 500) async throws -> Int {
        let now = sources.now()
        var deleted = try await database.write { try IdempotencyKeys.removeOld(at: now, limit: step, in: $0) }
        // The audit log of a removed tenant stays until its entries are old enough.
        let tenants: [TenantID] = try await database.read { connection in
            try connection.values(.id, of: Organization.self, "ORDER BY id")
        }
        for tenant in tenants {
            let now = sources.now()
            deleted += try await database.write { [configuration] connection in
                try AuditLog(connection).remove(
                    until: now - configuration.auditRetention, limit: step, tenant: tenant)
            }
            deleted += try await database.write { [configuration] connection in
                try connection.execute(
                    """
                    DELETE FROM command WHERE tenant = \(tenant) AND (udid, position) IN (
                        SELECT udid, position FROM command
                        WHERE tenant = \(tenant) AND finishedAt <= \(now - configuration.commandRetention)
                        LIMIT \(step))
                    """)
            }
        }
        return deleted
    }
}
