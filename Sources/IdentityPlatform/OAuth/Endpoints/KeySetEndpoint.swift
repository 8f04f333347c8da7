// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Serves the keys with which clients verify tokens.
struct KeySetEndpoint: Sendable {
    let database: any Database
    let directory: DirectoryCache
    let keys: TenantKeys

    func addRoutes(to router: Router<IdentityContext>) {
        for path in PublishedEndpoint.keySet.routes {
            router.get(path) { _, context in try await keySet(context) }
        }
    }

    /// Returns the key set of one organisation (RFC 7517 section 5), or the keys of all organisations if the URL does
    /// not name an organisation. Key ids are unique across organisations.
    private func keySet(_ context: IdentityContext) async throws -> Response {
        let tenants: [TenantID]
        if let tenant = try await directory.tenant(in: context) {
            tenants = [tenant.id]
        } else {
            tenants = try await database.read { try Tenants($0).all().map(\.id) }
        }
        var published: [TenantKey] = []
        for tenant in tenants { published += try await keys.all(of: tenant) }
        return Response(json: JSONWebKeySet(published.map(\.published)).encoded)
    }
}
