// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

extension Management {
    func addAuditRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .audit) { call in
            let lines = try await database.read {
                try AuditLog(connection: $0, tenant: call.tenant).latest(min(max(call.count ?? 100, 1), 10_000))
            }
            return try Self.json(lines.map(Self.description))
        }
    }

    /// Writes the act's line, as part of its transaction.
    ///
    /// - Throws: ``StorageError``
    func record(
        _ action: AuditAction, _ subject: String, detail: String? = nil, of call: AdminCall,
        _ connection: any Connection
    ) throws {
        let now = sources.now()
        try AuditLog(connection: connection, tenant: call.tenant).append(
            action, subject: subject, detail: detail, correlation: call.correlation, now: now,
            oldest: now - configuration.auditRetention.milliseconds)
    }

    private static func description(of line: AuditLine) -> MDMAdmin.AuditEntry {
        MDMAdmin.AuditEntry(
            position: line.position, time: line.time, actor: line.actor, action: line.action, subject: line.subject,
            detail: line.detail, correlation: line.correlation)
    }
}
