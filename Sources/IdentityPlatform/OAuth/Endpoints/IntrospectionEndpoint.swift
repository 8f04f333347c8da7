// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Storage

/// `POST /{tenant}/oauth2/v2.0/introspect`: tells a confidential client whether a token is valid (RFC 7662). Accepts
/// any access token of the organisation and the client's own refresh tokens. The response does not say why a token is
/// invalid.
struct IntrospectionEndpoint: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let accessTokens: AccessTokens
    let resources: ResourceCatalogue

    func addRoutes(to router: Router<IdentityContext>) {
        router.post("/{tenant}/oauth2/v2.0/introspect", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await directory.oneTenant(in: context)
        let credentials = try ClientCredentials(form: form, authorization: request.headers[.authorization])
        let client = try await database.read { connection in
            try Clients(connection).authenticated(credentials, tenant: tenant.id, at: environment.now())
        }
        guard !client.isPublic else { throw OAuthError.confidentialClientRequired }
        let text = try form.required(.token)
        if let token = OpaqueToken(text) { return Response(json: try await refreshToken(token, of: client)) }
        return Response(json: try await accessToken(text, tenant.id))
    }

    private var inactive: MembersWriter {
        var members = MembersWriter()
        members.set(ReplyName.active, false)
        return members
    }

    private func accessToken(_ text: String, _ tenant: TenantID) async throws -> MembersWriter {
        let token: AccessToken
        do {
            token = try await accessTokens.check(text, for: resources.all)
        } catch is AccessTokens.Refusal {
            return inactive
        }
        guard token.tenant == tenant else { return inactive }
        var members = MembersWriter()
        members.set(ReplyName.active, true)
        members.set(ReplyName.tokenType, "Bearer")
        members.set(ReplyName.clientID, token.client.rawValue)
        members.set(ReplyName.username, token.user.userPrincipalName)
        members.set(ReplyName.scope, token.permissions.joined(separator: " "))
        for name in [ClaimName.audience, .issuer, .subject, .objectID, .tenantID, .sessionID, .deviceID] {
            members.set(name, (try? token.claims.optionalString(name)) ?? nil)
        }
        for name in [ClaimName.issuedAt, .notBefore, .expiresAt] {
            if let time = try? token.claims.integer(name) { members.set(name, time) }
        }
        return members
    }

    private func refreshToken(_ token: OpaqueToken, of client: Client) async throws -> MembersWriter {
        let now = environment.now()
        let record = try await database.read { connection -> RefreshToken? in
            guard token.tenant == client.tenant, let record = try RefreshTokens(connection).find(token),
                record.client == client.id, record.used == nil, !record.isRevoked, record.expires > now
            else { return nil }
            do { _ = try LiveSession(record.session, tenant: record.tenant, connection) } catch is OAuthError {
                return nil
            }
            return record
        }
        guard let record else { return inactive }
        var members = MembersWriter()
        members.set(ReplyName.active, true)
        members.set(ReplyName.clientID, record.client.rawValue)
        members.set(ReplyName.scope, record.scope)
        members.set(ClaimName.sessionID, record.session.rawValue)
        members.set(ClaimName.expiresAt, Int(record.expires.seconds))
        return members
    }
}
