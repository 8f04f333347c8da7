// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Hummingbird
package import OAuth
package import Storage

/// `POST /{tenant}/oauth2/v2.0/token` and its version 1 (`/{tenant}/oauth2/token`): dispatches by `grant_type`.
struct TokenEndpoint: Sendable {
    private let directory: DirectoryCache
    private let handlers: [String: any GrantHandler]
    private let metrics: IdentityMetrics

    init(directory: DirectoryCache, grants: [any GrantHandler], metrics: IdentityMetrics) {
        (self.directory, self.metrics) = (directory, metrics)
        var handlers: [String: any GrantHandler] = [:]
        for grant in grants {
            for type in grant.grantTypes { handlers[type.rawValue] = grant }
        }
        self.handlers = handlers
    }

    func addRoutes(to router: Router<IdentityContext>) {
        for version in [TokenVersion.two, .one] {
            router.post(PublishedEndpoint.token.route(version)) { try await respond($0, $1, in: version) }
        }
    }

    private func respond(
        _ request: Request, _ context: IdentityContext, in version: TokenVersion
    ) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await directory.tenant(in: context)
        let type = try form.required(.grantType)
        guard let handler = handlers[type] else { throw OAuthError.unsupportedGrant }
        let request = TokenRequest(
            tenant: tenant, version: version, form: form, authorization: request.headers[.authorization],
            peer: context.client)
        guard let kind = GrantType(rawValue: type)?.kind else { return try await handler.respond(to: request) }
        return try await metrics.grant(kind) { try await handler.respond(to: request) }
    }
}

/// A parsed request at the token endpoint, with its tenant.
package struct TokenRequest: Sendable {
    /// The tenant in the URL; nil for `common` and `organizations` on a server with several tenants.
    package let tenant: Tenant?
    /// The generation of the endpoint, which determines the format of its response and its tokens.
    package let version: TokenVersion
    package let form: FormParameters
    /// The `Authorization` header, with which a client may authenticate.
    let authorization: String?
    package let peer: PeerAddress

    /// Returns the tenant of a token in the request. If the request's URL names a tenant, it must be the token's
    /// tenant.
    ///
    /// - Throws: ``OAuthError``
    package func tenant(of token: OpaqueToken) throws(OAuthError) -> TenantID {
        guard tenant == nil || tenant?.id == token.tenant else { throw .badGrant }
        return token.tenant
    }

    /// Returns the client's credentials.
    ///
    /// - Throws: ``OAuthError``
    func credentials() throws(OAuthError) -> ClientCredentials {
        try ClientCredentials(form: form, authorization: authorization)
    }
}

/// Handles one or more values of `grant_type`. The platform's token endpoint consists of a list of such handlers.
package protocol GrantHandler: Sendable {
    /// The values of `grant_type` that the handler accepts.
    var grantTypes: [GrantType] { get }

    /// Responds to a request. Everything that the response contains must be stored durably before this method returns.
    ///
    /// - Throws: ``OAuthError`` for the client; any other error becomes `server_error`.
    func respond(to request: TokenRequest) async throws -> Response
}
