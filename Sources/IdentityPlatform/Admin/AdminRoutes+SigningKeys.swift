// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import OAuth
internal import Storage

extension AdminRoutes {
    func addSigningKeyRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .signingKeys) { _, context in try Self.json(try await keys(of: try await tenant(context))) }
        on(router, .post, .signingKeys) { request, context in
            let tenant = try await tenant(context)
            let rotation = try await body(request, as: IdentityAdmin.KeyRotation.self)
            try await administration.rotateKeys(of: tenant, immediately: rotation.immediately)
            return try Self.json(try await keys(of: tenant))
        }
    }

    private func keys(of tenant: Tenant) async throws -> [IdentityAdmin.SigningKey] {
        let keys = try await platform.keys.all(of: tenant.id)
        let now = platform.environment.now()
        return keys.map { key in
            IdentityAdmin.SigningKey(
                id: key.id, algorithm: key.algorithm.rawValue, created: key.created.seconds, signs: key.signs.seconds,
                isCurrent: KeySchedule.signing(keys, key.algorithm, at: now)?.id == key.id)
        }
    }
}

extension Administration {
    /// Gives an organisation new signing keys of both algorithms (``KeySchedule``).
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func rotateKeys(of tenant: Tenant, immediately: Bool = false) async throws {
        let keys = try await platform.keys.all(of: tenant.id)
        guard immediately || !KeySchedule.isPending(keys, at: platform.environment.now()) else {
            throw AdminRefusal.rotationPending
        }
        try await unhurried {
            try await KeyRotation(platform: platform).rotate(
                KeySchedule.algorithms, of: tenant.id, immediately: immediately, by: actor.name)
        }
    }
}
