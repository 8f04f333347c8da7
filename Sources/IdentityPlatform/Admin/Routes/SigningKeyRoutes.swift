// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import OAuth
internal import Storage

/// The administration routes for the keys that sign tokens.
struct SigningKeyRoutes: Sendable {
    let keys: TenantKeys
    let environment: ClockAndRandomness

    func add(to router: AdminRouter) {
        router.on(IdentityAdmin.listSigningKeys) { call in try await signingKeys(of: try await call.tenant()) }
        router.on(IdentityAdmin.rotateSigningKeys) { call, body in
            let tenant = try await call.tenant()
            let rotation = try body.decoded()
            try await call.acts.tenants.rotateKeys(of: tenant, immediately: rotation.immediately)
            return try await signingKeys(of: tenant)
        }
    }

    private func signingKeys(of tenant: Tenant) async throws -> [IdentityAdmin.SigningKey] {
        let keys = try await keys.all(of: tenant.id)
        let now = environment.now()
        return keys.map { key in
            IdentityAdmin.SigningKey(
                id: key.id, algorithm: key.algorithm.rawValue, createdAt: key.created.rawValue,
                signsAt: key.signs.rawValue,
                isCurrent: KeySchedule.signing(keys, key.algorithm, at: now)?.id == key.id)
        }
    }
}
