// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Uses a refresh token up (RFC 6749 section 6), for the same resource or for another that the client may have, and gives
/// the next one in its place (RFC 9700 section 4.14.2).
struct RefreshTokenGrant: GrantHandler {
    let platform: Platform

    var grantTypes: [GrantType] { [.refreshToken] }

    func respond(to request: TokenRequest) async throws -> Response {
        let form = request.form
        let credentials = try request.credentials()
        guard let token = OpaqueToken(try form.required(.refreshToken)) else { throw OAuthError.badGrant }
        let tenant = try request.tenant(of: token)
        let claims = try ClaimsRequest(parsing: form[ParameterName.claims])
        let view = platform.directoryCache.view
        let (grant, next) = try await platform.revokingReuse {
            try await platform.database.write { [platform] connection in
                let now = platform.environment.now()
                let client = try Clients(connection, view).authenticated(credentials, tenant: tenant, at: now)
                let record = try RefreshTokenUse(connection: connection, now: now)
                    .check(token, of: client.id, for: .refresh)
                let scope = try platform.resources.grant(asked: form, before: record.scope, to: client)
                let grant = try platform.grant(
                    record.session, client: client, scope: scope, claims: claims, version: request.version, kept: view,
                    connection)
                guard record.used == nil else {
                    let next = try platform.token(kept: record.next, connection)
                    return (grant, IssuedRefreshToken(token: next, expires: record.expires))
                }
                try RefreshTokens(connection).use(record, at: now)
                return (grant, try platform.issue(record.next, at: now, connection))
            }
        }
        return Response(
            json: try await platform.issuer.reply(grant, refreshToken: next, withClientInfo: form.wantsClientInfo))
    }
}
