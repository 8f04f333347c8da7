// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// `POST /{tenant}/oauth2/v2.0/token` and its older twin: finds the handler for the `grant_type`.
struct TokenEndpoint: Sendable {
    private let platform: Platform
    private let handlers: [String: any GrantHandler]

    init(platform: Platform, grants: [any GrantHandler]) {
        self.platform = platform
        var handlers: [String: any GrantHandler] = [:]
        for grant in grants {
            for type in grant.grantTypes { handlers[type.rawValue] = grant }
        }
        self.handlers = handlers
    }

    func addRoutes(to router: Router<IdentityContext>) {
        for (path, version) in [("v2.0/token", TokenVersion.two), ("token", .one)] {
            router.post("/{tenant}/oauth2/\(path)") { request, context in
                try await respond(request, context, version)
            }
        }
    }

    private func respond(
        _ request: Request, _ context: IdentityContext, _ version: TokenVersion
    ) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await platform.tenant(in: context)
        guard let handler = handlers[try form.required(.grantType)] else { throw OAuthError.unsupportedGrant }
        return try await handler.respond(
            to: TokenRequest(
                tenant: tenant, version: version, form: form, authorization: request.headers[.authorization],
                peer: PeerAddress(context.channel.remoteAddress)))
    }
}
