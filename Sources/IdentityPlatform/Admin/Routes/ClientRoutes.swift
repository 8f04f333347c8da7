// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import OAuth
internal import Storage

/// The administration routes for applications and their secrets.
struct ClientRoutes: Sendable {
    let database: any Database
    let resources: ResourceCatalogue

    func add(to router: AdminRouter) {
        router.on(list: IdentityAdmin.listClients) { call, page in
            let tenant = try await call.tenant()
            let clients = try await database.read { try Clients($0).all(tenant: tenant.id, on: page) }
            return Page(clients, of: page, key: \.listKey, shown: shown)
        }
        router.on(object: IdentityAdmin.getClient) { call in shown(try await call.client()) }
        router.on(IdentityAdmin.addClient) { call, body in
            let tenant = try await call.tenant()
            let new = try body.decoded()
            let id = try new.id.map { text in
                guard let id = ClientID(rawValue: text) else {
                    throw AdminRefusal.badClientID.naming("\(text) is not a client id.")
                }
                return id
            }
            let wantedResources = try new.resources?.map { text in
                guard let id = ClientID(rawValue: text) else {
                    throw AdminRefusal.unknownResource.naming("\(text) is not a resource that the server knows.")
                }
                return id
            }
            let name = new.tokenAlgorithm ?? "RS256"
            guard let algorithm = SignatureAlgorithm(rawValue: name) else {
                throw AdminRefusal.unknownAlgorithm.naming("Tokens are not signed with \(name).")
            }
            let permissions = try (new.permissions ?? []).map { name in
                guard let permission = resources.permission(named: name) else {
                    throw AdminRefusal.unknownPermission.naming("\(name) is not a permission that the server knows.")
                }
                return permission
            }
            // The sign-in page does not ask anybody whether such an application may act for them.
            let givesPower = ResourceCatalogue.givePower(permissions, to: wantedResources ?? ResourceCatalogue.standard)
            let acts = givesPower ? call.actsOfFullControl : call.acts
            let client = try await acts.clients.add(
                NewClient(
                    id: id, displayName: new.displayName, redirectURIs: new.redirectURIs,
                    logoutURIs: new.postLogoutRedirectURIs, resources: wantedResources,
                    permissions: permissions, isConfidential: new.isConfidential ?? false,
                    tokenAlgorithm: algorithm),
                tenant: tenant)
            return shown(client)
        }
        router.on(IdentityAdmin.addCompatibilityClients) { call in
            let tenant = try await call.tenant()
            return try await call.actsOfFullControl.clients.addCompatibilityPack(tenant: tenant).map(shown)
        }
        router.on(IdentityAdmin.changeClient) { call, body in
            let client = try await call.client()
            let change = try body.decoded()
            try await acts(call, changing: client).setEnabled(change.accountEnabled, client)
        }
        router.on(IdentityAdmin.removeClient) { call in
            let client = try await call.client()
            try await acts(call, changing: client).remove(client)
        }
        addSecretRoutes(to: router)
    }

    private func addSecretRoutes(to router: AdminRouter) {
        router.on(IdentityAdmin.listClientSecrets) { call in
            let client = try await call.client()
            return try await database.read { try ClientSecrets($0).all(of: client) }
                .map { IdentityAdmin.ClientSecret(id: $0.id, expiresAt: $0.expires.rawValue) }
        }
        router.on(IdentityAdmin.addClientSecret) { call in
            let client = try await call.client()
            let (secret, text) = try await call.acts(on: client).clients.addSecret(to: client)
            return IdentityAdmin.ClientSecret(id: secret.id, expiresAt: secret.expires.rawValue, secret: text)
        }
        router.on(IdentityAdmin.removeClientSecret) { call in
            let client = try await call.client()
            try await call.acts(on: client).clients.removeSecret(try call.place("secret"), of: client)
        }
    }

    private func acts(_ call: AdminCall, changing client: Client) -> ClientAdministration {
        call.acts(on: client) { connection in
            guard let client = try Clients(connection).find(client.id, tenant: client.tenant) else {
                throw AdminRefusal.noClient
            }
            return shown(client)
        }.clients
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
