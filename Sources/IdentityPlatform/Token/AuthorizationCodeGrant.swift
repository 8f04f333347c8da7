// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Redeems a code (RFC 6749 section 4.1.3 with PKCE, RFC 7636 section 4.6).
struct AuthorizationCodeGrant: GrantHandler {
    let platform: Platform

    var grantTypes: [GrantType] { [.authorizationCode] }

    func respond(to request: TokenRequest) async throws -> Response {
        let form = request.form
        guard form[ParameterName.clientSecret] == nil else { throw OAuthError.publicClientWithSecret }
        guard let code = OpaqueToken(try form.required(.code)) else { throw OAuthError.badGrant }
        let tenant = try request.tenant(of: code)
        guard let client = ClientID(rawValue: try form.required(.clientID)) else { throw OAuthError.unknownClient }
        let redirect = try form.required(.redirectURI)
        let verifier = try form.required(.codeVerifier)
        let claims = try ClaimsRequest(parsing: form[ParameterName.claims])
        let refresh = OpaqueToken(tenant: tenant, ambient: platform.ambient)
        let outcome = try await platform.database.write { [platform] connection in
            try redeem(
                code, Proof(client: client, redirect: redirect, verifier: verifier, claims: claims), refresh, platform,
                connection)
        }
        switch outcome {
        case .refused(let error): throw error
        case .granted(let grant):
            let token =
                grant.scope.wantsRefreshToken
                ? IssuedRefreshToken(
                    token: refresh, expires: platform.ambient.now() + platform.configuration.lifetimes.refreshToken)
                : nil
            return Response(
                json: try await platform.issuer.reply(
                    grant, refreshToken: token, withClientInfo: form.wantsClientInfo))
        }
    }
}

/// What the client shows beside the code.
private struct Proof: Sendable {
    let client: ClientID
    let redirect: String
    let verifier: String
    let claims: ClaimsRequest
}

/// A refusal is an outcome, not an error: a replay's revocation has to be committed.
private enum Outcome: Sendable {
    case granted(Grant)
    case refused(OAuthError)
}

private func redeem(
    _ code: OpaqueToken, _ proof: Proof, _ refresh: OpaqueToken, _ platform: Platform, _ connection: any Connection
) throws -> Outcome {
    let now = platform.ambient.now()
    let codes = AuthorizationCodes(connection)
    guard let client = try Clients(connection).find(proof.client, tenant: code.tenant) else {
        return .refused(.unknownClient)
    }
    guard let record = try codes.find(code) else { return .refused(.badGrant) }
    guard record.client == client.id else { return .refused(.badGrant) }
    guard record.redirectURI == proof.redirect else { return .refused(.redirectMismatch) }
    guard ProofKey.matches(verifier: proof.verifier, challenge: record.challenge) else {
        return .refused(.verifierMismatch)
    }
    // Only a request that would have been good is a replay: who merely saw a used code in a history can end nothing.
    guard record.redeemed == nil else {
        try revoke(record, at: now, connection)
        return .refused(.redeemedCode)
    }
    guard record.expires > now else { return .refused(.expiredGrant) }
    let scope = try platform.resources.grant(scope: record.scope, to: client)
    let grant: Grant
    do {
        grant = try platform.grant(
            record.session, client: client, scope: scope, nonce: record.nonce, claims: proof.claims, connection)
    } catch let error as OAuthError {
        return .refused(error)
    }
    guard try codes.redeem(code, at: now) else { return .refused(.redeemedCode) }
    if scope.wantsRefreshToken {
        try RefreshTokens(connection).add(
            refresh,
            RefreshToken(
                tenant: code.tenant, session: record.session, client: client.id, scope: record.scope,
                family: record.family, ofPrimary: false, expires: now + platform.configuration.lifetimes.refreshToken),
            at: now)
    }
    return .granted(grant)
}

/// Takes back what came of a code that is seen again (RFC 6749 section 4.1.2): the whole session where the code's
/// sign-in began it, else the code's refresh tokens and the primary refresh tokens that were issued for them.
private func revoke(_ record: AuthorizationCode, at time: Timestamp, _ connection: any Connection) throws {
    let actor = record.client.rawValue
    try AuditLog(connection).append(
        .codeReplayed, tenant: record.tenant, actor: actor, subject: record.session.rawValue, outcome: "refused",
        at: time)
    if record.beganSession {
        try Sessions(connection).end(
            record.session, tenant: record.tenant, at: time, because: .replayed, by: actor)
    } else {
        try RefreshTokens(connection).revoke(family: record.family, tenant: record.tenant)
        try PrimaryRefreshTokens(connection).revoke(proofFamily: record.family, tenant: record.tenant)
    }
}
