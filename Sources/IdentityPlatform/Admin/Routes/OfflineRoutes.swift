// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import OAuth
internal import Storage

/// The administration routes for the rules of offline sign-in.
struct OfflineRoutes: Sendable {
    let database: any Database

    func add(to router: AdminRouter) {
        router.on(object: IdentityAdmin.getOfflineSignIn) { call in
            let tenant = try await call.tenant()
            return try await database.read { try shown(tenant, $0) }
        }
        router.on(IdentityAdmin.setOfflineSignIn) { call, body in
            let wanted = try body.decoded()
            let rules = try wanted.rules.map { try OfflineRules($0) }
            let tenant = try await call.tenant()
            try await call.acts { try shown(tenant, $0) }.tenants.setOfflineRules(rules, tenant: tenant)
        }
    }

    private func shown(_ tenant: Tenant, _ connection: any Connection) throws -> IdentityAdmin.Offline {
        IdentityAdmin.Offline(rules: try OfflineRules.of(tenant.id, connection).map(IdentityAdmin.OfflineRules.init))
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
