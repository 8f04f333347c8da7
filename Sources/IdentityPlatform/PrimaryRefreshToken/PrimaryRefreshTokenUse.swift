// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import OAuth
internal import Redaction
internal import Storage

/// Gives an app's tokens for a PRT, encrypted under its session key.
struct PrimaryRefreshTokenUse: Sendable {
    let platform: Platform

    func respond(to token: CompactJWS, in request: TokenRequest) async throws -> Response {
        guard let unverified = try? SessionSignedRequest.Unverified(token) else {
            throw OAuthError.malformedSignedRequest
        }
        guard let primary = OpaqueToken(unverified.primaryRefreshToken.exposed) else { throw OAuthError.badGrant }
        _ = try request.tenant(of: primary)
        guard unverified.keyDerivationVersion == .two || platform.configuration.compatibility.keyDerivationVersionOne
        else { throw OAuthError.keyDerivationRequired }
        let use = try await platform.database.read { [platform] connection in
            try verify(unverified, primary, platform, connection)
        }
        try platform.nonces.accept(use.nonce, signed: token.signingInput, for: .use)
        let refresh = use.grant.scope.wantsRefreshToken ? try await refreshToken(use) : nil
        let reply = try await platform.issuer.reply(
            use.grant, refreshToken: refresh, withClientInfo: request.form.wantsClientInfo)
        var generator = AmbientGenerator(ambient: platform.ambient)
        let sealed = try EncryptedReply.seal(reply.bytes, with: use.key, using: &generator)
        return Response(
            status: .ok,
            headers: [.contentType: "application/jose", .cacheControl: "no-store", .pragma: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: sealed)))
    }

    /// The app's refresh token of this PRT: the present one, or the next where that was used or revoked. So it is not
    /// written at each use.
    private func refreshToken(_ use: VerifiedUse) async throws -> IssuedRefreshToken {
        let first = RefreshToken(
            tenant: use.primary.tenant, session: use.grant.session.id, client: use.grant.client.id,
            scope: use.grant.scope.requested.text, family: PrimaryRefreshTokens.family(of: use.primary.hash),
            ofPrimary: true, expires: use.expires)
        let known = try await platform.database.read { try present(first, $0) }
        if let known { return IssuedRefreshToken(token: platform.token(of: known), expires: known.expires) }
        return try await platform.database.write { [platform] connection in
            _ = try LiveSession(first.session, tenant: first.tenant, connection)
            if let known = try present(first, connection) {
                return IssuedRefreshToken(token: platform.token(of: known), expires: known.expires)
            }
            let newest = try RefreshTokens(connection).newest(
                family: first.family, client: first.client, tenant: first.tenant)
            return try platform.issue(newest?.next ?? first, at: platform.ambient.now(), connection)
        }
    }
}

/// The newest refresh token in the place of `first`, where it is good.
private func present(_ first: RefreshToken, _ connection: any Connection) throws -> RefreshToken? {
    let newest = try RefreshTokens(connection).newest(
        family: first.family, client: first.client, tenant: first.tenant)
    return newest.flatMap { $0.used == nil && !$0.isRevoked ? $0 : nil }
}

/// A use request that the session key has signed, and what it is granted.
private struct VerifiedUse: Sendable {
    let primary: OpaqueToken
    let key: SessionKey
    let nonce: String
    let grant: Grant
    let expires: Timestamp
}

/// Judges a use request over one consistent state; the nonce is left to the caller, being outside of it.
private func verify(
    _ unverified: SessionSignedRequest.Unverified, _ primary: OpaqueToken, _ platform: Platform,
    _ connection: any Connection
) throws -> VerifiedUse {
    guard let record = try PrimaryRefreshTokens(connection).find(primary) else { throw OAuthError.badGrant }
    let key: SessionKey
    // A row that was changed or copied: the client can only begin anew.
    do { key = try platform.open(record.sealedSessionKey, of: primary) } catch { throw OAuthError.badGrant }
    let claims: Members
    do { claims = try unverified.verified(with: key) } catch { throw OAuthError.wrongSignature }
    guard record.expires > platform.ambient.now() else { throw OAuthError.expiredGrant }
    guard let request = try? PrimaryRefreshToken.UseRequest(claims) else { throw OAuthError.malformedSignedRequest }
    guard !request.scopes.contains(Scopes.primaryRefreshToken) else { throw OAuthError.renewalUnsupported }
    guard let id = ClientID(rawValue: request.clientID),
        let client = try Clients(connection).find(id, tenant: record.tenant)
    else { throw OAuthError.unknownClient }
    // The session key proves the device and the person, not an application that has a secret of its own.
    guard client.isPublic else { throw OAuthError.missingSecret }
    if let text = request.redirectURI {
        guard let uri = RedirectURI(text), client.allowsRedirect(to: uri) else { throw OAuthError.unregisteredRedirect }
    }
    let scope = try platform.resources.grant(scope: request.scopes.text, resource: request.resource, to: client)
    let asked = try ClaimsRequest(parsing: request.claims)
    let grant = try platform.grant(record.session, client: client, scope: scope, claims: asked, connection)
    guard grant.session.device?.id == record.device else { throw OAuthError.badGrant }
    return VerifiedUse(
        primary: primary, key: key, nonce: request.nonce, grant: grant, expires: record.expires)
}
