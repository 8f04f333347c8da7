// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The audit log of administrative acts in device management.
struct ManagementLog: Sendable {
    let sources: MDMSources
    /// How long lines are kept.
    let retention: Duration

    /// Appends the line for an act, in the act's transaction, and removes lines that are older than ``retention``.
    ///
    /// - Throws: ``StorageError``; ``ManagementRefusal`` `noTenant` if the tenant has been removed since the call was
    ///   read.
    func record(
        _ action: AuditAction, _ subject: some CustomStringConvertible, detail: String? = nil, of call: ManagementCall,
        in connection: any Connection
    ) throws {
        guard try connection.exists(Organization.self, "WHERE id = \(call.tenant) AND removed IS NULL") else {
            throw ManagementRefusal(.noTenant)
        }
        let (now, log) = (sources.now(), AuditLog(connection))
        // Only the machine's operator can reach the administration socket.
        try log.append(
            action, tenant: call.tenant, actor: AuditLog.localOperator, subject: subject.description, detail: detail,
            at: now)
        try log.remove(until: now - retention, limit: .max, tenant: call.tenant)
    }
}
