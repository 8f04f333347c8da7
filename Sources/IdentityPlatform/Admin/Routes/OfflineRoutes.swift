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
        router.on(.get, .offline) { call in
            let tenant = try await call.tenant()
            let rules = try await database.read { try OfflineRules.of(tenant.id, $0) }
            return try Response.json(IdentityAdmin.Offline(rules: rules.map(IdentityAdmin.OfflineRules.init)))
        }
        router.on(.put, .offline) { call in
            let wanted = try await call.body(as: IdentityAdmin.Offline.self)
            let rules = try wanted.rules.map { try OfflineRules($0) }
            try await tenants.setOfflineRules(rules, tenant: try await call.tenant())
            return Response(status: .noContent)
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
