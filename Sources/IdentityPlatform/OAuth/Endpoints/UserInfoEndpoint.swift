// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// `/oidc/userinfo` on the Graph host and `/{tenant}/openid/userinfo` on the login host: returns those claims about the
/// person that the access token's scopes allow (OpenID Connect Core section 5.3). `sub` is the same as in the client's
/// id tokens.
struct UserInfoEndpoint: Sendable {
    let accessTokens: AccessTokens
    let resource: Resource

    /// - Parameter path: the path on the router's host.
    func addRoutes(to router: Router<IdentityContext>, at path: RouterPath) {
        router.get(path) { request, _ in try await respond(request.headers[.authorization]) }
        router.post(path) { request, context in
            if let header = request.headers[.authorization] { return try await respond(header) }
            // The form may contain the token (RFC 6750 section 2.2).
            let form = try await request.form(limit: context.maxUploadSize)
            return try await respond(form[ReplyName.accessToken].map { "Bearer \($0)" })
        }
    }

    private func respond(_ authorization: String?) async throws -> Response {
        let token: AccessToken
        do {
            token = try await accessTokens.check(authorization: authorization, for: resource)
        } catch let refusal as AccessTokens.Refusal {
            return Self.refusal(.unauthorized, accessTokens.challenge.header(for: refusal))
        }
        guard token.permissions.contains(Scopes.openID) else {
            return Self.refusal(.forbidden, "Bearer error=\"insufficient_scope\", scope=\"\(Scopes.openID)\"")
        }
        return Response(json: try claims(token))
    }

    private static func refusal(_ status: HTTPResponse.Status, _ challenge: String) -> Response {
        Response(status: status, headers: [.wwwAuthenticate: challenge, .cacheControl: "no-store"])
    }

    /// Returns the claims for the token's scopes (OpenID Connect Core section 5.4).
    private func claims(_ token: AccessToken) throws -> MembersWriter {
        let profile = token.user.profile
        var claims = MembersWriter()
        claims.set(ClaimName.subject, try token.claims.string(ClaimName.subject))
        if token.permissions.contains(Scopes.profile) {
            claims.set(ClaimName.name, profile.displayName)
            claims.set(ClaimName.givenName, profile.givenName)
            claims.set(ClaimName.familyName, profile.surname)
            claims.set(ClaimName.preferredUsername, token.user.userPrincipalName)
        }
        if token.permissions.contains(Scopes.email) { claims.set(ClaimName.email, profile.mail) }
        return claims
    }
}
