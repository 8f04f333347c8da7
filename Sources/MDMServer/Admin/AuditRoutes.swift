// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

/// The administration route for the audit log.
struct AuditRoutes: Sendable {
    let database: any Database

    func add(to router: ManagementRouter<some RequestContext>) {
        router.on(.get, .audit) { call in
            let lines = try await database.read {
                try AuditLog($0).latest(min(max(call.count ?? 100, 1), 10_000), tenant: call.tenant)
            }
            return try Answer.json(lines.map(Self.description))
        }
    }

    private static func description(of line: AuditEntry) -> MDMAdmin.AuditEntry {
        MDMAdmin.AuditEntry(
            position: line.position, time: line.time.rawValue, actor: line.actor, action: line.action,
            subject: line.subject ?? "",
            detail: line.detail, correlation: line.correlation)
    }
}
