// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
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
            let client = try await administration.addClient(
                NewClient(
                    id: id, displayName: new.displayName, redirectURIs: new.redirectURIs, resources: resources,
                    permissions: new.permissions ?? []),
                tenant: tenant)
            return try Self.json(shown(client), status: .created)
        }
        on(router, .post, .compatibilityClients) { _, context in
            let tenant = try await tenant(context)
            return try Self.json(try await administration.addCompatibilityClients(tenant: tenant).map(shown))
        }
        on(router, .delete, .client) { _, context in
            let tenant = try await tenant(context)
            let name = try place("client", context)
            let client = try await platform.database.read { connection in
                try ClientID(rawValue: name).flatMap { try Clients(connection).find($0, tenant: tenant.id) }
            }
            guard let client else { throw AdminRefusal.noClient }
            try await administration.remove(client)
            return Response(status: .noContent)
        }
    }

    private func shown(_ client: Client) -> IdentityAdmin.Client {
        IdentityAdmin.Client(
            id: client.id.rawValue, displayName: client.displayName, redirectURIs: client.redirectURIs,
            resources: client.resources.map(\.rawValue), permissions: client.permissions)
    }
}
