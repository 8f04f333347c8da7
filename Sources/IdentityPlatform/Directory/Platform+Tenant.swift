// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

extension Platform {
    /// The tenant that a request's address names: by id, by domain, or, for `common` and `organizations`, the only
    /// one of the server; `nil` where there are several.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    package func tenant(in context: IdentityContext) async throws -> Tenant? {
        let name = try context.parameters.require("tenant").lowercased()
        if name == "common" || name == "organizations" { return try await directoryCache.tenant(at: .only) }
        let place = TenantID(rawValue: name).map(DirectoryCache.Place.id) ?? .domain(name)
        guard let found = try await directoryCache.tenant(at: place) else { throw OAuthError.unknownTenant }
        return found
    }

    /// The tenant of a request whose address must name one.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    package func oneTenant(in context: IdentityContext) async throws -> Tenant {
        guard let tenant = try await tenant(in: context) else { throw OAuthError.ambiguousTenant }
        return tenant
    }

    /// The tenant of a request, or that of the domain in a user name.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func tenant(in context: IdentityContext, orOf userName: String?) async throws -> Tenant {
        if let tenant = try await tenant(in: context) { return tenant }
        guard let domain = userName?.split(separator: "@").last.map(String.init) else {
            throw OAuthError.ambiguousTenant
        }
        let found = try await directoryCache.tenant(at: .domain(domain.lowercased()))
        guard let found else { throw OAuthError.ambiguousTenant }
        return found
    }
}
