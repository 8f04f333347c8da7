// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import OAuth
internal import Redaction
internal import Storage

/// Exchanges a PRT for an app's tokens or for a new PRT. The response is encrypted under the session key.
struct RedeemPrimaryRefreshToken: Sendable {
    let database: any Database
    /// Whether other nodes use the database.
    let isShared: Bool
    let environment: ClockAndRandomness
    let nonces: Nonces
    let tokens: TokenTransactions
    let issuer: TokenIssuer
    let renewing: RenewPrimaryRefreshToken

    init(_ platform: Platform) {
        (database, isShared, environment) = (platform.database, platform.isShared, platform.environment)
        (nonces, tokens, issuer) = (platform.nonces, platform.tokens, platform.issuer)
        renewing = RenewPrimaryRefreshToken(tokens: platform.tokens, storageKey: platform.storageKey)
    }

    func respond(
        to token: CompactJWS, by dialect: PrimaryRefreshToken.Dialect, in request: TokenRequest
    ) async throws -> Response {
        let (unverified, primary) = try tokens.sessionSigned(token)
        _ = try request.tenant(of: primary)
        let use = try await accepted(token, unverified, of: primary, version: request.version)
        let reply = try await reply(to: use, by: dialect, request)
        return try sealed(reply, by: dialect, with: use.key, version: unverified.keyDerivationVersion)
    }

    /// Verifies a request and accepts its nonce. On a shared database, both are done in one transaction.
    private func accepted(
        _ token: CompactJWS, _ unverified: SessionSignedRequest.Unverified, of primary: OpaqueToken,
        version: TokenVersion
    ) async throws -> VerifiedUse {
        @Sendable func verified(_ transaction: TokenTransaction) throws -> (VerifiedUse, Acceptance) {
            let use = try verify(unverified, of: primary, version: version, in: transaction)
            let acceptance = try nonces.judge(
                use.request.nonce, signed: token.signingInput, for: .use, by: use.grant.session.id.rawValue)
            return (use, acceptance)
        }
        guard isShared else {
            let (use, acceptance) = try await tokens.read(verified)
            guard nonces.remember(acceptance) else { throw OAuthError.replayedRequest }
            return use
        }
        let (use, acceptance) = try await tokens.write { transaction in
            let (use, acceptance) = try verified(transaction)
            try acceptance.record(in: transaction.connection)
            return (use, acceptance)
        }
        nonces.remember(acceptance)
        return use
    }

    private func reply(
        to use: VerifiedUse, by dialect: PrimaryRefreshToken.Dialect, _ request: TokenRequest
    ) async throws -> MembersWriter {
        if use.request.isRenewal {
            let renewal = try await renewing.renew(use)
            guard use.request.wantsAccess else {
                return renewal.issued.reply(
                    renewal.token, tenant: use.grant.tenant, sessionKey: nil, by: issuer)
            }
            return try await issuer.reply(
                use.grant,
                refreshToken: IssuedRefreshToken(token: renewal.token, expires: renewal.issued.expires),
                withClientInfo: request.form.wantsClientInfo)
        }
        if !use.record.isConfirmed {
            try await database.write { try PrimaryRefreshTokens($0).confirm(use.primary) }
        }
        // Clients of the older (Windows) protocol do not know `offline_access`, so they always get a refresh token.
        let refresh =
            use.grant.scope.wantsRefreshToken || dialect == .windows ? try await refreshToken(use) : nil
        return try await issuer.reply(
            use.grant, refreshToken: refresh, withClientInfo: request.form.wantsClientInfo)
    }

    /// Returns the response encrypted for the device. Windows clients with the older key derivation can decrypt only
    /// responses that are encrypted without authentication; the operator must have allowed that derivation.
    private func sealed(
        _ reply: MembersWriter, by dialect: PrimaryRefreshToken.Dialect, with key: SessionKey,
        version: KeyDerivationVersion
    ) throws -> Response {
        var generator = InjectedGenerator(environment: environment)
        let text =
            dialect == .windows && version == .one
            ? try EncryptedReply.sealWithoutAuthentication(reply.bytes, with: key, using: &generator)
            : try EncryptedReply.seal(reply.bytes, with: key, using: &generator)
        return Response(
            status: .ok,
            headers: [.contentType: "application/jose", .cacheControl: "no-store", .pragma: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Returns the app's refresh token in this PRT's family: the newest token or, if the newest token was used or
    /// revoked or has expired, a new token. Most requests therefore do not write to the database.
    private func refreshToken(_ use: VerifiedUse) async throws -> IssuedRefreshToken {
        let first = RefreshToken(
            tenant: use.primary.tenant, session: use.grant.session.id, client: use.grant.client.id,
            scope: use.grant.scope.requested.text, family: use.record.family, ofPrimary: true,
            expires: use.record.expires)
        if let known = try await tokens.read({ try present(first, in: $0).issued }) { return known }
        return try await tokens.write { transaction in
            _ = try LiveSession(first.session, tenant: first.tenant, transaction.connection)
            let (newest, known) = try present(first, in: transaction)
            return try known ?? transaction.issue(first.after(newest))
        }
    }
}

/// Returns the newest refresh token that has the family and the client of `first`. If that token is valid, also returns
/// it as it is sent in a response.
private func present(
    _ first: RefreshToken, in transaction: TokenTransaction
) throws -> (newest: RefreshToken?, issued: IssuedRefreshToken?) {
    let newest = try RefreshTokens(transaction.connection).newest(
        family: first.family, client: first.client, tenant: first.tenant)
    guard let newest, newest.used == nil, !newest.isRevoked, newest.expires > transaction.now else {
        return (newest, nil)
    }
    return (newest, try transaction.issued(newest))
}

extension RefreshToken {
    /// Returns this token with the generation after that of `other`, or generation 0 if `other` is nil. The token
    /// expires at the same time as the PRT, which may have been renewed since `other` was issued.
    fileprivate func after(_ other: RefreshToken?) -> RefreshToken {
        RefreshToken(
            tenant: tenant, session: session, client: client, scope: scope, family: family,
            generation: other.map { $0.generation + 1 } ?? 0, ofPrimary: ofPrimary, expires: expires)
    }
}

/// A verified request to use a PRT, together with the grant that results from the request.
struct VerifiedUse: Sendable {
    let primary: OpaqueToken
    let record: StoredPrimaryRefreshToken
    let key: SessionKey
    let request: PrimaryRefreshToken.UseRequest
    let grant: Grant
}

/// Verifies a request to use a PRT against one consistent state of the database. The caller checks the nonce.
private func verify(
    _ unverified: SessionSignedRequest.Unverified, of primary: OpaqueToken, version: TokenVersion,
    in transaction: TokenTransaction
) throws -> VerifiedUse {
    let proven = try ProvenPrimaryRefreshToken(unverified, of: primary, in: transaction)
    let record = proven.record
    guard let request = try? PrimaryRefreshToken.UseRequest(proven.claims) else {
        throw OAuthError.malformedSignedRequest
    }
    // A renewal is checked in its own transaction.
    switch RenewalRule.judge(
        record, successor: nil, isRenewal: request.isRenewal, at: transaction.now)
    {
    case .expired: throw OAuthError.expiredGrant
    case .renewed: throw OAuthError.renewedToken
    case .good, .repeated, .reused: break
    }
    guard let id = ClientID(rawValue: request.clientID) else { throw OAuthError.unknownClient }
    let client = try transaction.clients.usable(id, tenant: record.tenant)
    // If the broker that requested the token is disabled or removed, the token cannot be used.
    _ = try transaction.clients.usable(record.client, tenant: record.tenant)
    guard client.isBroker || !request.isRenewal else { throw OAuthError.notABroker }
    // The session key authenticates only the device and the person. An application with a secret would also have to
    // authenticate itself, so it is refused.
    guard client.isPublic else { throw OAuthError.missingSecret }
    if let text = request.redirectURI {
        guard let uri = RedirectURI(text), client.allowsRedirect(to: uri) else { throw OAuthError.unregisteredRedirect }
    }
    let scope = try transaction.resources.grant(scope: request.scopes.text, resource: request.resource, to: client)
    let asked = try ClaimsRequest(parsing: request.claims)
    let grant = try transaction.grant(
        record.session, client: client, scope: scope, claims: asked, version: version)
    guard grant.session.device?.id == record.device else { throw OAuthError.badGrant }
    return VerifiedUse(primary: primary, record: record, key: proven.key, request: request, grant: grant)
}
