// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Storage

/// The administration routes for the audit log.
struct AuditRoutes: Sendable {
    let database: any Database
    let sources: MDMSources

    func add(to router: MDMAdminRouter) {
        router.on(MDMAdmin.listManagementAuditEntries) { call in
            let count = try call.received.lineCount()
            let lines = try await database.read {
                try AuditLog($0).latest(count, tenant: call.tenant)
            }
            return lines.map(Self.description)
        }
        router.on(MDMAdmin.exportManagementAuditEntries) { call in
            let period = try AuditPeriod(call.received)
            let now = sources.now()
            try await call.act(on: database, at: now) { connection in
                try AuditLog(connection).append(
                    AuditLine(
                        .managementExported, tenant: call.tenant, actor: call.received.caller.name, subject: "audit",
                        detail: "\(period.from.rawValue) \(period.to.rawValue)", at: now))
            }
            return export(of: call.tenant, in: period)
        }
    }

    /// Returns a response that is written while the client reads it. If writing fails, the response's last line is
    /// missing.
    private func export(of tenant: TenantID, in period: AuditPeriod) -> Response {
        Response(
            status: .ok, headers: [.contentType: ExportEnd.mediaType, .cacheControl: "no-store"],
            body: ResponseBody { [database] writer in
                var (count, pages) = (0, AuditLog.Pages(database, tenant: tenant, in: period))
                while let page = try await pages.next() {
                    let lines = try page.map { try AdminAnswer.json(Self.description(of: $0)) + [0x0a] }
                    try await writer.write(ByteBuffer(bytes: lines.joined()))
                    count += page.count
                }
                try await writer.write(ByteBuffer(bytes: try AdminAnswer.json(ExportEnd(end: count)) + [0x0a]))
                try await writer.finish(nil)
            })
    }

    private static func description(of line: AuditEntry) -> MDMAdmin.AuditEntry {
        MDMAdmin.AuditEntry(
            position: line.position, time: line.time.rawValue, actor: line.actor, action: line.action,
            subject: line.subject ?? "",
            detail: line.detail, correlation: line.correlation, clientAddress: line.clientAddress,
            interface: line.interface?.rawValue)
    }
}
