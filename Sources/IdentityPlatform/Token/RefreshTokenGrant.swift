// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Uses a refresh token (RFC 6749 section 6), for the same resource or for another that the client may have.
struct RefreshTokenGrant: GrantHandler {
    let platform: Platform

    var grantTypes: [GrantType] { [.refreshToken] }

    func respond(to request: TokenRequest) async throws -> Response {
        let form = request.form
        guard form[ParameterName.clientSecret] == nil else { throw OAuthError.publicClientWithSecret }
        guard let token = OpaqueToken(try form.required(.refreshToken)) else { throw OAuthError.badGrant }
        let tenant = try request.tenant(of: token)
        guard let client = ClientID(rawValue: try form.required(.clientID)) else { throw OAuthError.unknownClient }
        let asked = form[ParameterName.scope]
        let resource = form[ParameterName.resource]
        let claims = try ClaimsRequest(parsing: form[ParameterName.claims])
        let (grant, expires) = try await platform.database.read { [platform] connection in
            guard let client = try Clients(connection).find(client, tenant: tenant) else {
                throw OAuthError.unknownClient
            }
            guard let record = try RefreshTokens(connection).find(token), record.client == client.id else {
                throw OAuthError.badGrant
            }
            guard record.expires > platform.ambient.now() else { throw OAuthError.expiredGrant }
            let scope = try platform.resources.grant(
                scope: asked ?? record.scope, resource: resource, to: client)
            let grant = try platform.grant(record.session, client: client, scope: scope, claims: claims, connection)
            return (grant, record.expires)
        }
        // The token stays good until it expires or its session ends, so it is handed back as it is.
        return Response(
            json: try await platform.issuer.reply(
                grant, refreshToken: IssuedRefreshToken(token: token, expires: expires),
                withClientInfo: form.wantsClientInfo))
    }
}
