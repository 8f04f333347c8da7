// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Hummingbird
package import OAuth
package import Storage

/// `POST /{tenant}/oauth2/v2.0/token` and its older twin: finds the handler for the `grant_type`.
struct TokenEndpoint: Sendable {
    private let directory: DirectoryCache
    private let handlers: [String: any GrantHandler]

    init(directory: DirectoryCache, grants: [any GrantHandler]) {
        self.directory = directory
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
        guard let handler = handlers[try form.required(.grantType)] else { throw OAuthError.unsupportedGrant }
        return try await handler.respond(
            to: TokenRequest(
                tenant: tenant, version: version, form: form, authorization: request.headers[.authorization],
                peer: PeerAddress(context.channel.remoteAddress)))
    }
}

/// A request at the token endpoint, its form read and its tenant looked up.
package struct TokenRequest: Sendable {
    /// The tenant of the address; `nil` for `common` and `organizations` on a server with several.
    package let tenant: Tenant?
    /// Which generation of the endpoint it came to, and so how its reply and its tokens are written.
    package let version: TokenVersion
    package let form: FormParameters
    /// The `Authorization` header, by which a client may prove itself.
    let authorization: String?
    package let peer: PeerAddress

    /// The tenant of a token that the request holds, which must be the one of the address if that names one.
    ///
    /// - Throws: ``OAuthError``
    package func tenant(of token: OpaqueToken) throws(OAuthError) -> TenantID {
        guard tenant == nil || tenant?.id == token.tenant else { throw .badGrant }
        return token.tenant
    }

    /// Who the client says it is.
    ///
    /// - Throws: ``OAuthError``
    func credentials() throws(OAuthError) -> ClientCredentials {
        try ClientCredentials(form: form, authorization: authorization)
    }
}

/// One or more values of `grant_type` and what to do about them; the platform's list of these is its token endpoint.
package protocol GrantHandler: Sendable {
    /// The wire values it answers.
    var grantTypes: [GrantType] { get }

    /// Answers a request, with everything durable that the answer promises.
    ///
    /// - Throws: ``OAuthError`` for the client, anything else becomes `server_error`.
    func respond(to request: TokenRequest) async throws -> Response
}
