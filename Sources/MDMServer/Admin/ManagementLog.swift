// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The audit log of administrative acts on device management.
struct ManagementLog: Sendable {
    let sources: MDMSources
    /// How long lines are kept.
    let retention: Duration

    /// Writes the act's line, as part of its transaction; lines that were kept long enough go.
    ///
    /// - Throws: ``StorageError``
    func record(
        _ action: AuditAction, _ subject: some CustomStringConvertible, detail: String? = nil, of call: ManagementCall,
        in connection: any Connection
    ) throws {
        let (now, log) = (sources.now(), AuditLog(connection))
        // Whoever reaches the administration socket is the operator of the machine.
        try log.append(
            action, tenant: call.tenant, actor: AuditLog.localOperator, subject: subject.description, detail: detail,
            at: now)
        try log.remove(until: now - retention, limit: .max, tenant: call.tenant)
    }
}
