// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import OAuth
internal import Storage

/// The administration routes for the rules of offline sign-in.
struct OfflineRoutes: Sendable {
    let database: any Database
    let tenants: TenantAdministration

    func add(to router: AdminRouter<some RequestContext>) {
        router.on(IdentityAdmin.getOfflineSignIn) { call in
            let tenant = try await call.tenant()
            let rules = try await database.read { try OfflineRules.of(tenant.id, $0) }
            return IdentityAdmin.Offline(rules: rules.map(IdentityAdmin.OfflineRules.init))
        }
        router.on(IdentityAdmin.setOfflineSignIn) { call, body in
            let wanted = try await body.decoded()
            let rules = try wanted.rules.map { try OfflineRules($0) }
            try await tenants.setOfflineRules(rules, tenant: try await call.tenant())
        }
    }
}

extension IdentityAdmin.OfflineRules {
    fileprivate init(_ rules: OfflineRules) {
        self.init(
            credentials: rules.credentials.map(\.rawValue).sorted(), wallSeconds: rules.wallSeconds,
            poweredSeconds: rules.limits.poweredSeconds, boots: rules.limits.boots, attempts: rules.limits.attempts)
    }
}

extension OfflineRules {
    fileprivate init(_ wanted: IdentityAdmin.OfflineRules) throws(AdminRefusal) {
        let credentials = wanted.credentials.map(OfflineLease.Credential.init)
        guard !credentials.contains(nil),
            let rules = OfflineRules(
                credentials: Set(credentials.compactMap(\.self)), wallSeconds: wanted.wallSeconds,
                limits: .init(poweredSeconds: wanted.poweredSeconds, boots: wanted.boots, attempts: wanted.attempts))
        else { throw .badOfflineRules }
        self = rules
    }
}
