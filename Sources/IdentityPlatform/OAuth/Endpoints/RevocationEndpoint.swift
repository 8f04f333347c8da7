// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Storage

/// `POST /{tenant}/oauth2/v2.0/revoke`: revokes a client's refresh token (RFC 7009), together with all refresh tokens
/// of that client from the same sign-in. An unknown token counts as revoked.
///
/// If the client signs people in for the administration, the sign-in's session ends as well, so that a copy of the access
/// token cannot be used either (RFC 7009 section 2.1). A session that something else uses does not end.
struct RevocationEndpoint: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache

    func addRoutes(to router: Router<IdentityContext>) {
        router.post("/{tenant}/oauth2/v2.0/revoke", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await directory.tenant(in: context)
        let credentials = try ClientCredentials(form: form, authorization: request.headers[.authorization])
        let text = try form.required(.token)
        let token = OpaqueToken(text)
        guard let owner = tenant?.id ?? token?.tenant else { throw OAuthError.ambiguousTenant }
        let now = environment.now()
        try await database.write { connection in
            let client = try Clients(connection).authenticated(credentials, tenant: owner, at: now)
            guard let token, token.tenant == owner else { return }
            try revoke(token, of: client, at: now, connection)
        }
        // An access token is recognised by its format only; it is not looked up.
        guard token != nil || text.split(separator: ".").count != 3 || (try? CompactJWS(text)) == nil else {
            throw OAuthError.unsupportedToken
        }
        return Response(status: .ok)
    }
}

private func revoke(
    _ token: OpaqueToken, of client: Client, at now: Timestamp, _ connection: any Connection
) throws {
    let tokens = RefreshTokens(connection)
    guard let record = try tokens.find(token) else { return }
    guard record.client == client.id else { throw OAuthError.badGrant }
    if try tokens.revoke(chainOf: record, at: now) > 0 {
        try PrimaryRefreshTokens(connection).revoke(proofFamily: record.family, tenant: record.tenant)
        try AuditLog(connection).append(
            AuditLine(
                .refreshTokenRevoked, tenant: record.tenant, actor: client.id.rawValue,
                subject: record.session.rawValue, at: now))
    }
    guard client.isOfAdministration, try !tokens.isUsed(record.session, tenant: record.tenant, at: now) else { return }
    try Sessions(connection).endAlone(
        record.session, tenant: record.tenant, at: now, because: .signedOut, by: client.id.rawValue)
}
