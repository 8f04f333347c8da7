// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import OAuth
internal import Storage

/// The administration routes for applications and their secrets.
struct ClientRoutes: Sendable {
    let database: any Database
    let clients: ClientAdministration

    func add(to router: AdminRouter<some RequestContext>) {
        router.on(IdentityAdmin.listClients) { call in
            let tenant = try await call.tenant()
            return try await database.read { try Clients($0).all(tenant: tenant.id).map(shown) }
        }
        router.on(IdentityAdmin.addClient) { call, body in
            let tenant = try await call.tenant()
            let new = try await body.decoded()
            let id = try new.id.map { text in
                guard let id = ClientID(rawValue: text) else {
                    throw AdminRefusal.badClientID.naming("\(text) is not a client id.")
                }
                return id
            }
            let resources = try new.resources?.map { text in
                guard let id = ClientID(rawValue: text) else {
                    throw AdminRefusal.unknownResource.naming("\(text) is not a resource that the server knows.")
                }
                return id
            }
            let name = new.tokenAlgorithm ?? "RS256"
            guard let algorithm = SignatureAlgorithm(rawValue: name) else {
                throw AdminRefusal.unknownAlgorithm.naming("Tokens are not signed with \(name).")
            }
            if let name = new.permissions?.first(where: { clients.resources.permission(named: $0) == nil }) {
                throw AdminRefusal.unknownPermission.naming("\(name) is not a permission that the server knows.")
            }
            let client = try await clients.add(
                NewClient(
                    id: id, displayName: new.displayName, redirectURIs: new.redirectURIs,
                    logoutURIs: new.postLogoutRedirectURIs, resources: resources,
                    permissions: new.permissions ?? [], isConfidential: new.isConfidential ?? false,
                    tokenAlgorithm: algorithm),
                tenant: tenant)
            return shown(client)
        }
        router.on(IdentityAdmin.addCompatibilityClients) { call in
            let tenant = try await call.tenant()
            return try await clients.addCompatibilityPack(tenant: tenant).map(shown)
        }
        router.on(IdentityAdmin.changeClient) { call, body in
            let client = try await client(call)
            let change = try await body.decoded()
            try await clients.setEnabled(change.accountEnabled, client)
        }
        router.on(IdentityAdmin.removeClient) { call in
            let client = try await client(call)
            try await clients.remove(client)
        }
        addSecretRoutes(to: router)
    }

    private func addSecretRoutes(to router: AdminRouter<some RequestContext>) {
        router.on(IdentityAdmin.listClientSecrets) { call in
            let client = try await client(call)
            return try await database.read { try ClientSecrets($0).all(of: client) }
                .map { IdentityAdmin.ClientSecret(id: $0.id, expiresAt: $0.expires.rawValue) }
        }
        router.on(IdentityAdmin.addClientSecret) { call in
            let (secret, text) = try await clients.addSecret(to: try await client(call))
            return IdentityAdmin.ClientSecret(id: secret.id, expiresAt: secret.expires.rawValue, secret: text)
        }
        router.on(IdentityAdmin.removeClientSecret) { call in
            try await clients.removeSecret(try call.place("secret"), of: try await client(call))
        }
    }

    /// Returns the application in the path, identified by its client id or by a unique name.
    private func client(_ call: AdminCall) async throws -> Client {
        let (tenant, name) = (try await call.tenant(), try call.name("client"))
        return try await database.read { try NamedObjects($0).client(name, tenant: tenant) }
    }

    private func shown(_ client: Client) -> IdentityAdmin.Client {
        IdentityAdmin.Client(
            id: client.id.rawValue, displayName: client.displayName, redirectURIs: client.redirectURIs,
            postLogoutRedirectURIs: client.logoutURIs, resources: client.resources.map(\.rawValue),
            permissions: client.permissions,
            isPublic: client.isPublic, accountEnabled: client.isEnabled, tokenAlgorithm: client.tokenAlgorithm.rawValue,
            warnings: client.warnings)
    }
}
