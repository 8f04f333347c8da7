// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import Storage

/// The administration routes for the keys and the own permissions of applications.
struct ApplicationRoutes: Sendable {
    let database: any Database

    func add(to router: AdminRouter) {
        router.on(IdentityAdmin.listClientKeys) { call in
            let client = try await call.client()
            return try await database.read { try ClientKeys($0).all(of: client) }.map(shown)
        }
        router.on(IdentityAdmin.addClientKey) { call, body in
            let client = try await call.client()
            let new = try body.decoded()
            return shown(try await call.actsOfFullControl.clients.addKey(new.publicKey, name: new.name, to: client))
        }
        router.on(IdentityAdmin.removeClientKey) { call in
            let client = try await call.client()
            try await call.acts(on: client).clients.removeKey(try call.place("key"), of: client)
        }
        router.on(IdentityAdmin.listApplicationPermissions) { call in
            let client = try await call.client()
            return try await database.read { try ApplicationPermissions($0).all(of: client.id, tenant: client.tenant) }
                .map { IdentityAdmin.ApplicationPermission(permission: $0.permission, grantedAt: $0.granted.rawValue) }
        }
        router.on(IdentityAdmin.grantApplicationPermission) { call in
            try await call.actsOfFullControl.clients.grant(try call.place("permission"), to: try await call.client())
        }
        router.on(IdentityAdmin.revokeApplicationPermission) { call in
            let client = try await call.client()
            try await call.acts(on: client).clients.revoke(try call.place("permission"), from: client)
        }
    }

    private func shown(_ key: ClientKey) -> IdentityAdmin.ClientKey {
        IdentityAdmin.ClientKey(
            id: key.id, name: key.name, kind: key.kind, createdAt: key.created.rawValue,
            expiresAt: key.expires?.rawValue)
    }
}
