// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

extension AdminRoutes {
    func addTenantRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .tenants) { _, _ in
            let tenants = try await platform.database.read { try Tenants($0).all() }
            return try Self.json(tenants.map(shown))
        }
        on(router, .post, .tenants) { request, _ in
            let new = try await body(request, as: IdentityAdmin.NewTenant.self)
            let tenant = try await administration.addTenant(displayName: new.displayName, domain: new.domain)
            return try Self.json(shown(tenant), status: .created)
        }
        on(router, .get, .tenant) { _, context in try Self.json(shown(try await tenant(context))) }
        on(router, .get, .audit) { request, context in
            let tenant = try await tenant(context)
            let asked = request.uri.queryParameters.get("count", as: Int.self) ?? 100
            let entries = try await platform.database.read {
                try AuditLog($0).latest(min(max(asked, 1), 10_000), tenant: tenant.id)
            }
            return try Self.json(
                entries.map {
                    IdentityAdmin.AuditEntry(
                        position: $0.position, time: $0.time.rawValue, actor: $0.actor, action: $0.action,
                        subject: $0.subject, outcome: $0.outcome, repetitions: $0.repetitions,
                        method: $0.method?.rawValue, correlation: $0.correlation)
                })
        }
    }

    private func shown(_ tenant: Tenant) -> IdentityAdmin.Tenant {
        IdentityAdmin.Tenant(
            id: tenant.id.rawValue, displayName: tenant.displayName, domain: tenant.domain,
            issuer: platform.issuer.issuer(tenant.id))
    }
}
