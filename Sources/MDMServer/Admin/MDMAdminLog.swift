// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import Storage

/// The audit log of administrative acts in device management.
struct MDMAdminLog: Sendable {
    let sources: MDMSources

    /// Appends the line for an act, in the act's transaction.
    ///
    /// - Throws: ``StorageError``; ``MDMAdminRefusal`` `noTenant` if the tenant has been removed since the call was
    ///   read.
    func record(
        _ action: AuditAction, _ subject: some CustomStringConvertible, detail: String? = nil, of call: MDMAdminCall,
        in connection: any Connection
    ) throws {
        guard try connection.exists(Organization.self, "WHERE id = \(call.tenant) AND removed IS NULL") else {
            throw MDMAdminRefusal(.noTenant)
        }
        try AuditLog(connection).append(
            AuditLine(
                action, tenant: call.tenant, actor: call.received.caller.name, subject: subject.description,
                detail: detail, at: sources.now()))
    }
}
