// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import Storage

/// The administration routes for organisations and their audit logs.
struct TenantRoutes: Sendable {
    let database: any Database
    let issuer: TokenIssuer

    func add(to router: AdminRouter) {
        router.on(IdentityAdmin.listTenants) { call in
            let tenants = try await database.read { try Tenants($0).all() }
            return tenants.map(shown)
        }
        router.on(IdentityAdmin.addTenant) { call, body in
            let new = try body.decoded()
            let tenant = try await call.acts.tenants.add(displayName: new.displayName, domain: new.domain)
            return shown(tenant)
        }
        router.on(object: IdentityAdmin.getTenant) { call in shown(try await call.tenant()) }
        router.on(IdentityAdmin.removeTenant) { call in
            // The path must name the tenant explicitly, because removal cannot be undone.
            guard try call.place("tenant") != "-" else { throw AdminRefusal.unnamedTenant }
            return try await call.acts.tenants.remove(try await call.tenant())
        }
        router.on(IdentityAdmin.getTenantHoldings) { call in
            try await call.acts.tenants.holdings(of: try await call.tenant())
        }
        router.on(IdentityAdmin.listAuditEntries) { call in
            let tenant = try await call.tenantOfLog()
            let count = try call.received.lineCount()
            let entries = try await database.read {
                try AuditLog($0).latest(count, tenant: tenant)
            }
            return entries.map {
                IdentityAdmin.AuditEntry(
                    position: $0.position, time: $0.time.rawValue, actor: $0.actor, action: $0.action,
                    subject: $0.subject, outcome: $0.outcome, repetitions: $0.repetitions,
                    method: $0.method?.rawValue, detail: $0.detail, correlation: $0.correlation,
                    clientAddress: $0.clientAddress, interface: $0.interface?.rawValue)
            }
        }
    }

    private func shown(_ tenant: Tenant) -> IdentityAdmin.Tenant {
        IdentityAdmin.Tenant(
            id: tenant.id.rawValue, displayName: tenant.displayName, domain: tenant.domain,
            issuer: issuer.issuer(tenant.id))
    }
}
