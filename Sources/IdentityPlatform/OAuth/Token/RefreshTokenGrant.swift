// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Exchanges a refresh token for new tokens (RFC 6749 section 6). The new tokens are for the same resource, or for a
/// different resource that the client may access. The next refresh token replaces the used one (RFC 9700 section
/// 4.14.2).
struct RefreshTokenGrant: GrantHandler {
    let tokens: TokenTransactions
    let issuer: TokenIssuer

    var grantTypes: [GrantType] { [.refreshToken] }

    func respond(to request: TokenRequest) async throws -> Response {
        let form = request.form
        let credentials = try request.credentials()
        guard let token = OpaqueToken(try form.required(.refreshToken)) else { throw OAuthError.badGrant }
        let tenant = try request.tenant(of: token)
        let claims = try ClaimsRequest(parsing: form[ParameterName.claims])
        let issued = try await tokens.write { transaction in
            let client = try transaction.client(credentials, tenant: tenant)
            let record = try transaction.check(token, of: client.id, for: .refresh)
            let scope = try transaction.resources.grant(asked: form, before: record.scope, to: client)
            let grant = try transaction.grant(
                record.session, client: client, scope: scope, claims: claims, version: request.version)
            return IssuedGrant(grant: grant, refreshToken: try transaction.exchange(record))
        }
        return Response(json: try await issuer.reply(issued, withClientInfo: form.wantsClientInfo))
    }
}
