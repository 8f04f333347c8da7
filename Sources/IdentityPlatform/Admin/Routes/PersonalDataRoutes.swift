// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore
internal import Storage

/// The administration routes for data-protection requests and for exports of the audit log.
struct PersonalDataRoutes: Sendable {
    let database: any Database
    let passwords: Passwords

    func add(to router: AdminRouter) {
        router.on(IdentityAdmin.exportUser) { call in try await export(try await call.user(), call) }
        router.on(IdentityAdmin.getPersonalHoldings) { call in
            let user = try await call.user()
            return try await database.read { try IdentityAdmin.PersonalHoldings(of: user, $0) }
        }
        router.on(IdentityAdmin.eraseUser) { call in
            let user = try await call.user()
            return try await call.acts(on: user).users.erase(user)
        }
        router.on(IdentityAdmin.exportAuditEntries) { call in
            try await export(of: try await call.tenantOfLog(), in: try AuditPeriod(call.received), call)
        }
    }

    private func export(_ user: User, _ call: AdminCall) async throws -> Response {
        let data = try await call.acts.transactions.write { [passwords] act in
            try act.record(.userExported, of: user.tenant, subject: user.id.rawValue)
            return try PersonalData(
                of: user, counts: try passwords.failures(of: user, act.connection), act.connection)
        }
        return Response.export(data.objects, then: AuditLog.Pages(database, tenant: user.tenant)) {
            data.objects(in: $0)
        }
    }

    private func export(of tenant: TenantID, in period: AuditPeriod, _ call: AdminCall) async throws -> Response {
        try await call.acts.transactions.write { act in
            try act.record(
                .auditExported, of: tenant, detail: "\(period.from.rawValue) \(period.to.rawValue)")
        }
        return Response.export(then: AuditLog.Pages(database, tenant: tenant, in: period)) { page in
            page.map(\.object)
        }
    }
}

extension Response {
    /// Returns a response whose body is sent while the audit log is read. If a page of the log cannot be read, the last
    /// line of the body is missing.
    ///
    /// - Parameters:
    ///   - first: the objects at the beginning of the body.
    ///   - objects: returns the objects for a page of the audit log.
    fileprivate static func export(
        _ first: [JSONValue] = [], then pages: AuditLog.Pages,
        _ objects: @escaping @Sendable ([AuditEntry]) -> [JSONValue]
    ) -> Response {
        Response(
            status: .ok, headers: [.contentType: ExportEnd.mediaType, .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var (pages, count) = (pages, first.count)
                if !first.isEmpty { try await writer.write(lines(first)) }
                while let page = try await pages.next() {
                    let found = objects(page)
                    count += found.count
                    if !found.isEmpty { try await writer.write(lines(found)) }
                }
                try await writer.write(ByteBuffer(bytes: try AdminAnswer.json(ExportEnd(end: count)) + [0x0a]))
                try await writer.finish(nil)
            })
    }

    private static func lines(_ objects: [JSONValue]) -> ByteBuffer {
        objects.reduce(into: ByteBuffer()) { buffer, object in
            buffer.writeBytes(JSONWriter.write(object))
            buffer.writeInteger(UInt8(ascii: "\n"))
        }
    }
}
