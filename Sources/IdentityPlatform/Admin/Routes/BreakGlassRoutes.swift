// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

/// The administration routes for break-glass access.
struct BreakGlassRoutes: Sendable {
    let acts: BreakGlassAdministration

    func add(to router: AdminRouter<some RequestContext>) {
        router.on(IdentityAdmin.listBreakGlassGrants) { call in
            let grants = try await acts.list(try await call.tenant().id)
            return grants.map { shown($0.grant, $0.person, isActive: $0.isActive) }
        }
        router.on(IdentityAdmin.grantBreakGlass) { call, body in
            let tenant = try await call.tenant()
            let new = try await body.decoded()
            guard let role = new.role.map(DirectoryRole.named) ?? .globalAdministrator else {
                throw AdminRefusal.noRole.naming("There is no directory role \(new.role ?? "").")
            }
            let user = try await acts.transactions.database.read { try Users($0).named(new.user, tenant: tenant) }
            let grant = try await acts.grant(
                role, to: user, minutes: new.minutes ?? BreakGlassAdministration.defaultMinutes, reason: new.reason,
                login: new.login)
            return shown(grant, user, isActive: true)
        }
        router.on(IdentityAdmin.revokeBreakGlass) { call in
            let tenant = try await call.tenant()
            guard let id = BreakGlassID(rawValue: try call.place("grant")) else { throw AdminRefusal.noBreakGlass }
            try await acts.revoke(id, tenant: tenant.id)
        }
    }

    private func shown(_ grant: BreakGlassGrant, _ user: User?, isActive: Bool) -> IdentityAdmin.BreakGlassGrant {
        IdentityAdmin.BreakGlassGrant(
            id: grant.id.rawValue, user: user?.userPrincipalName ?? grant.person.rawValue,
            role: DirectoryRole.named(grant.role.rawValue)?.displayName ?? grant.role.rawValue, reason: grant.reason,
            grantedBy: grant.grantedBy, begunAt: grant.begun.rawValue, expiresAt: grant.expires.rawValue,
            endedAt: grant.ended?.rawValue, isActive: isActive)
    }
}
