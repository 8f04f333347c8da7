// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

extension Management {
    func addAuditRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .audit) { call in
            let lines = try await database.read {
                try AuditLog($0).latest(min(max(call.count ?? 100, 1), 10_000), tenant: call.tenant)
            }
            return try Self.json(lines.map(Self.description))
        }
    }

    /// Writes the act's line, as part of its transaction; lines that were kept long enough go.
    ///
    /// - Throws: ``StorageError``
    func record(
        _ action: AuditAction, _ subject: some CustomStringConvertible, detail: String? = nil, of call: AdminCall,
        in connection: any Connection
    ) throws {
        let (now, log) = (sources.now(), AuditLog(connection))
        // Whoever reaches the administration socket is the operator of the machine.
        try log.append(
            action, tenant: call.tenant, actor: AuditLog.localOperator, subject: subject.description, detail: detail,
            at: now)
        try log.remove(until: now - configuration.auditRetention, limit: .max, tenant: call.tenant)
    }

    private static func description(of line: AuditEntry) -> MDMAdmin.AuditEntry {
        MDMAdmin.AuditEntry(
            position: line.position, time: line.time.rawValue, actor: line.actor, action: line.action,
            subject: line.subject ?? "",
            detail: line.detail, correlation: line.correlation)
    }
}
