// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import OAuth
internal import Redaction
internal import Storage

/// Gives an app's tokens for a PRT, or another PRT, encrypted under its session key.
struct PrimaryRefreshTokenUse: Sendable {
    let platform: Platform
    let dialect: PrimaryRefreshToken.Dialect

    func respond(to token: CompactJWS, in request: TokenRequest) async throws -> Response {
        let (unverified, primary) = try platform.sessionSigned(token)
        _ = try request.tenant(of: primary)
        let use = try await platform.database.read { [platform] connection in
            try verify(unverified, primary, platform, connection)
        }
        try platform.nonces.accept(use.request.nonce, signed: token.signingInput, for: .use)
        let reply = try await reply(to: use, request)
        return try sealed(reply, with: use.key, version: unverified.keyDerivationVersion)
    }

    private func reply(to use: VerifiedUse, _ request: TokenRequest) async throws -> MembersWriter {
        if use.request.isRenewal {
            let renewal = try await PrimaryRefreshTokenRenewal(platform: platform).renew(use)
            guard use.request.wantsAccess else {
                return PrimaryRefreshTokenReply(platform: platform).members(
                    renewal.issued, use.grant.tenant, renewal.token, nil)
            }
            return try await platform.issuer.reply(
                use.grant,
                refreshToken: IssuedRefreshToken(token: renewal.token, expires: renewal.issued.expires),
                withClientInfo: request.form.wantsClientInfo)
        }
        if !use.record.isConfirmed {
            try await platform.database.write { try PrimaryRefreshTokens($0).confirm(use.primary) }
        }
        // Clients of the older protocol know no offline_access: they always get one.
        let refresh =
            use.grant.scope.wantsRefreshToken || dialect == .windows ? try await refreshToken(use) : nil
        return try await platform.issuer.reply(
            use.grant, refreshToken: refresh, withClientInfo: request.form.wantsClientInfo)
    }

    /// The reply as the device reads it. Those that derive keys by the older version read the unauthenticated form alone;
    /// that they are served at all, the operator has said.
    private func sealed(
        _ reply: MembersWriter, with key: SessionKey, version: KeyDerivationVersion
    ) throws -> Response {
        var generator = AmbientGenerator(ambient: platform.ambient)
        let text =
            dialect == .windows && version == .one
            ? try EncryptedReply.sealWithoutAuthentication(reply.bytes, with: key, using: &generator)
            : try EncryptedReply.seal(reply.bytes, with: key, using: &generator)
        return Response(
            status: .ok,
            headers: [.contentType: "application/jose", .cacheControl: "no-store", .pragma: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The app's refresh token of this PRT: derived, not drawn, so that it is written once and not at each use.
    private func refreshToken(_ use: VerifiedUse) async throws -> IssuedRefreshToken {
        let secret = platform.storageKey.derived("refresh token of a PRT", use.primary.hash + use.grant.client.id.bytes)
        let token = OpaqueToken(
            tenant: use.primary.tenant,
            ambient: Ambient(now: platform.ambient.now, randomBytes: { Array(secret.prefix($0)) }))
        let record = RefreshToken(
            tenant: use.primary.tenant, session: use.grant.session.id, client: use.grant.client.id,
            scope: use.grant.scope.requested.text, family: use.record.family, ofPrimary: true,
            expires: use.record.expires)
        let known = try await platform.database.read { try RefreshTokens($0).find(token) }
        if let known { return IssuedRefreshToken(token: token, expires: known.expires) }
        try await platform.database.write { [platform] connection in
            _ = try LiveSession(record.session, tenant: record.tenant, connection)
            let tokens = RefreshTokens(connection)
            if try tokens.find(token) == nil { try tokens.add(token, record, at: platform.ambient.now()) }
        }
        return IssuedRefreshToken(token: token, expires: record.expires)
    }
}

/// A use request that the session key has signed, and what it is granted.
struct VerifiedUse: Sendable {
    let primary: OpaqueToken
    let record: StoredPrimaryRefreshToken
    let key: SessionKey
    let request: PrimaryRefreshToken.UseRequest
    let grant: Grant
}

/// Judges a use request over one consistent state; the nonce is left to the caller, being outside of it.
private func verify(
    _ unverified: SessionSignedRequest.Unverified, _ primary: OpaqueToken, _ platform: Platform,
    _ connection: any Connection
) throws -> VerifiedUse {
    let proven = try ProvenPrimaryRefreshToken(unverified, primary, platform, connection)
    let record = proven.record
    guard let request = try? PrimaryRefreshToken.UseRequest(proven.claims) else {
        throw OAuthError.malformedSignedRequest
    }
    // A renewal is judged in its own transaction.
    switch PrimaryRefreshTokenRule.judge(
        record, successor: nil, isRenewal: request.isRenewal, at: platform.ambient.now())
    {
    case .expired: throw OAuthError.expiredGrant
    case .renewed: throw OAuthError.renewedToken
    case .good, .repeated, .reused: break
    }
    guard let id = ClientID(rawValue: request.clientID),
        let client = try Clients(connection).find(id, tenant: record.tenant)
    else { throw OAuthError.unknownClient }
    guard client.isBroker || !request.isRenewal else { throw OAuthError.notABroker }
    if let text = request.redirectURI {
        guard let uri = RedirectURI(text), client.allowsRedirect(to: uri) else { throw OAuthError.unregisteredRedirect }
    }
    let scope = try platform.resources.grant(scope: request.scopes.text, resource: request.resource, to: client)
    let asked = try ClaimsRequest(parsing: request.claims)
    let grant = try platform.grant(record.session, client: client, scope: scope, claims: asked, connection)
    guard grant.session.device?.id == record.device else { throw OAuthError.badGrant }
    return VerifiedUse(primary: primary, record: record, key: proven.key, request: request, grant: grant)
}
