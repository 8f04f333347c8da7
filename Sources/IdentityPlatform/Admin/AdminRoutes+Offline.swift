// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import OAuth
internal import Storage

extension AdminRoutes {
    func addOfflineRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .offline) { _, context in
            let tenant = try await tenant(context)
            let rules = try await platform.database.read { try OfflineRules.of(tenant.id, $0) }
            return try Self.json(IdentityAdmin.Offline(rules: rules.map(IdentityAdmin.OfflineRules.init)))
        }
        on(router, .put, .offline) { request, context in
            let wanted = try await body(request, as: IdentityAdmin.Offline.self)
            let rules = try wanted.rules.map { try OfflineRules($0) }
            try await administration.setOfflineRules(rules, tenant: try await tenant(context))
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
