// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import FoundationEssentials
internal import Hummingbird
internal import Storage

/// The administration routes for break-glass access.
struct BreakGlassRoutes: Sendable {
    let database: any Database

    func add(to router: AdminRouter) {
        router.on(IdentityAdmin.listBreakGlassGrants) { call in
            let grants = try await call.acts.breakGlass.list(try await call.tenant().id)
            return grants.map { shown($0.grant, $0.person, isActive: $0.isActive) }
        }
        router.on(IdentityAdmin.grantBreakGlass) { call, body in
            let tenant = try await call.tenant()
            let new = try body.decoded()
            guard let role = new.role.map(DirectoryRole.named) ?? .globalAdministrator else {
                throw AdminRefusal.noRole.naming("There is no directory role \(new.role ?? "").")
            }
            let user = try await database.read { try Users($0).named(new.user, tenant: tenant) }
            let grant = try await call.acts.breakGlass.grant(
                role, to: user, minutes: new.minutes ?? BreakGlassAdministration.defaultMinutes, reason: new.reason,
                by: grantor(call, login: new.login))
            return shown(grant, user, isActive: true)
        }
        router.on(IdentityAdmin.revokeBreakGlass) { call in
            let tenant = try await call.tenant()
            guard let id = BreakGlassID(rawValue: try call.place("grant")) else { throw AdminRefusal.noBreakGlass }
            try await call.acts.breakGlass.revoke(id, tenant: tenant.id)
        }
    }

    /// Returns the description of the caller for the record of a grant: the caller's ids and the node.
    private func grantor(_ call: AdminCall, login: Int?) -> String {
        let ids = [call.received.caller.origin, login.map { "login=\($0)" }].compactMap(\.self)
        return (ids + ["host=\(ProcessInfo.processInfo.hostName)"]).joined(separator: " ")
    }

    private func shown(_ grant: BreakGlassGrant, _ user: User?, isActive: Bool) -> IdentityAdmin.BreakGlassGrant {
        IdentityAdmin.BreakGlassGrant(
            id: grant.id.rawValue, user: user?.userPrincipalName ?? grant.person.rawValue,
            role: DirectoryRole.named(grant.role.rawValue)?.displayName ?? grant.role.rawValue, reason: grant.reason,
            grantedBy: grant.grantedBy, begunAt: grant.begun.rawValue, expiresAt: grant.expires.rawValue,
            endedAt: grant.ended?.rawValue, isActive: isActive)
    }
}
