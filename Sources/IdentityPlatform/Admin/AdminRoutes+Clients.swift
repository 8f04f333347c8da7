// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import OAuth
internal import Storage

extension AdminRoutes {
    func addClientRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .clients) { _, context in
            let tenant = try await tenant(context)
            return try Self.json(
                try await platform.database.read { try Clients($0).all(tenant: tenant.id).map(shown) })
        }
        on(router, .post, .clients) { request, context in
            let tenant = try await tenant(context)
            let new = try await body(request, as: IdentityAdmin.NewClient.self)
            let id = try new.id.map { text in
                guard let id = ClientID(rawValue: text) else { throw AdminRefusal.malformed }
                return id
            }
            let resources = try new.resources?.map { text in
                guard let id = ClientID(rawValue: text) else { throw AdminRefusal.unknownResource }
                return id
            }
            guard let algorithm = SignatureAlgorithm(rawValue: new.tokenAlgorithm ?? "RS256") else {
                throw AdminRefusal.unknownAlgorithm
            }
            let client = try await administration.addClient(
                NewClient(
                    id: id, displayName: new.displayName, redirectURIs: new.redirectURIs,
                    logoutURIs: new.postLogoutRedirectURIs, resources: resources,
                    permissions: new.permissions ?? [], isConfidential: new.isConfidential ?? false,
                    tokenAlgorithm: algorithm),
                tenant: tenant)
            return try Self.json(shown(client), status: .created)
        }
        on(router, .post, .compatibilityClients) { _, context in
            let tenant = try await tenant(context)
            return try Self.json(try await administration.addCompatibilityClients(tenant: tenant).map(shown))
        }
        on(router, .patch, .client) { request, context in
            let client = try await client(context)
            let change = try await body(request, as: IdentityAdmin.ClientChange.self)
            try await administration.setEnabled(change.accountEnabled, client)
            return Response(status: .noContent)
        }
        on(router, .delete, .client) { _, context in
            let client = try await client(context)
            try await administration.remove(client)
            return Response(status: .noContent)
        }
        addSecretRoutes(to: router)
    }

    private func addSecretRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .clientSecrets) { _, context in
            let client = try await client(context)
            return try Self.json(
                try await platform.database.read { try ClientSecrets($0).all(of: client) }
                    .map { IdentityAdmin.ClientSecret(id: $0.id, expires: $0.expires.seconds) })
        }
        on(router, .post, .clientSecrets) { _, context in
            let (secret, text) = try await administration.addSecret(to: try await client(context))
            return try Self.json(
                IdentityAdmin.ClientSecret(id: secret.id, expires: secret.expires.seconds, secret: text),
                status: .created)
        }
        on(router, .delete, .clientSecret) { _, context in
            try await administration.removeSecret(try place("secret", context), of: try await client(context))
            return Response(status: .noContent)
        }
    }

    private func client(_ context: some RequestContext) async throws -> Client {
        let tenant = try await tenant(context)
        let name = try place("client", context)
        let client = try await platform.database.read { connection in
            try ClientID(rawValue: name).flatMap { try Clients(connection).find($0, tenant: tenant.id) }
        }
        guard let client else { throw AdminRefusal.noClient }
        return client
    }

    private func shown(_ client: Client) -> IdentityAdmin.Client {
        IdentityAdmin.Client(
            id: client.id.rawValue, displayName: client.displayName, redirectURIs: client.redirectURIs,
            postLogoutRedirectURIs: client.logoutURIs, resources: client.resources.map(\.rawValue),
            permissions: client.permissions,
            isPublic: client.isPublic, accountEnabled: client.isEnabled, tokenAlgorithm: client.tokenAlgorithm.rawValue)
    }
}
