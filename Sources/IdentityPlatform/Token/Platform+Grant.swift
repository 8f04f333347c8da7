// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

extension Platform {
    /// Puts together what tokens of a session say, if ``SessionRule`` lets it.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    package func grant(
        _ session: SessionID, client: Client, scope: GrantedScope, nonce: String? = nil, claims: ClaimsRequest = .none,
        version: TokenVersion = .two, kept view: DirectoryCache.View? = nil, _ connection: any Connection
    ) throws -> Grant {
        let live = try LiveSession(session, tenant: client.tenant, connection)
        guard
            !live.session.isFromDeviceCode
                || scope.resource.application != ResourceCatalogue.deviceRegistrationApplication
        else { throw OAuthError.signedInAtOtherScreen }
        guard let tenant = try Tenants(connection, view).find(client.tenant) else { throw OAuthError.badGrant }
        return Grant(
            tenant: tenant, user: live.person,
            roles: try RoleMembers(connection).roles(of: live.person.id, tenant: tenant.id),
            client: client, session: live.session, scope: scope, nonce: nonce, claims: claims,
            version: version)
    }

    /// The first tokens of a family: what they say, and the refresh token where one is wanted; clients of the older
    /// endpoint always want one.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func issue(
        _ session: SessionID, family: String, client: Client, scope: GrantedScope, nonce: String? = nil,
        claims: ClaimsRequest, version: TokenVersion, _ connection: any Connection
    ) throws -> IssuedGrant {
        let grant = try grant(
            session, client: client, scope: scope, nonce: nonce, claims: claims, version: version, connection)
        guard scope.wantsRefreshToken || version == .one else { return IssuedGrant(grant: grant, refreshToken: nil) }
        let now = environment.now()
        let record = RefreshToken(
            tenant: client.tenant, session: session, client: client.id, scope: scope.lasting, family: family,
            ofPrimary: false, expires: now + configuration.lifetimes.refreshToken)
        return IssuedGrant(grant: grant, refreshToken: try issue(record, at: now, connection))
    }

    /// The tenant of a request, or that of the domain in a user name.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func tenant(of request: TokenRequest, orOf userName: String) async throws -> Tenant {
        if let tenant = request.tenant { return tenant }
        let domain = userName.split(separator: "@").last.map(String.init) ?? ""
        let found = try await directoryCache.tenant(at: .domain(domain.lowercased()))
        guard let found else { throw OAuthError.ambiguousTenant }
        return found
    }
}

/// What tokens will say, and the refresh token that is durable by then.
struct IssuedGrant: Sendable {
    let grant: Grant
    let refreshToken: IssuedRefreshToken?
}
