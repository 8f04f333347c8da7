// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Redeems a code (RFC 6749 section 4.1.3 with PKCE, RFC 7636 section 4.6).
struct AuthorizationCodeGrant: GrantHandler {
    let tokens: TokenTransactions
    let issuer: TokenIssuer

    var grantTypes: [GrantType] { [.authorizationCode] }

    func respond(to request: TokenRequest) async throws -> Response {
        let form = request.form
        let credentials = try request.credentials()
        guard let code = OpaqueToken(try form.required(.code)) else { throw OAuthError.badGrant }
        _ = try request.tenant(of: code)
        let proof = Proof(
            credentials: credentials, redirect: try form.required(.redirectURI),
            verifier: form[ParameterName.codeVerifier], resource: form[ParameterName.resource],
            claims: try ClaimsRequest(parsing: form[ParameterName.claims]), version: request.version)
        let outcome = try await tokens.write { try redeem(code, proof, in: $0) }
        switch outcome {
        case .refused(let error): throw error
        case .granted(let issued):
            return Response(
                json: try await issuer.reply(issued, withClientInfo: form.wantsClientInfo))
        }
    }
}

/// The parameters that the client sends together with the code.
private struct Proof: Sendable {
    let credentials: ClientCredentials
    let redirect: String
    let verifier: String?
    let resource: String?
    let claims: ClaimsRequest
    let version: TokenVersion
}

/// The outcome of a redemption. A refusal is returned, not thrown, so that the revocation after a replay is committed.
private enum Outcome: Sendable {
    case granted(IssuedGrant)
    case refused(OAuthError)
}

private func redeem(
    _ code: OpaqueToken, _ proof: Proof, in transaction: TokenTransaction
) throws -> Outcome {
    let (now, connection) = (transaction.now, transaction.connection)
    let codes = AuthorizationCodes(connection)
    do {
        let client = try transaction.client(proof.credentials, tenant: code.tenant)
        guard let record = try codes.find(code), record.client == client.id else { return .refused(.badGrant) }
        try check(
            proof, against: record,
            allowsMissingProofKey: transaction.configuration.compatibility.codeWithoutProofKey)
        // Only an otherwise valid request counts as a replay. Someone who only found a used code in a browser's history
        // cannot end the session with it.
        guard record.redeemed == nil else {
            try revoke(record, at: now, connection)
            return .refused(.redeemedCode)
        }
        guard record.expires > now else { return .refused(.expiredGrant) }
        let scope = try transaction.resources.grant(
            scope: nil, resource: proof.resource, before: record.scope, to: client)
        let grant = try transaction.grant(
            record.session, client: client, scope: scope, nonce: record.nonce, claims: proof.claims,
            version: proof.version)
        let issued = try transaction.begin(family: record.family, with: grant)
        guard try codes.redeem(code, at: now) else { return .refused(.redeemedCode) }
        return .granted(issued)
    } catch let error as OAuthError {
        return .refused(error)
    }
}

/// Checks that the redirect URI and the PKCE code verifier match the authorisation request. If that request had no code
/// challenge (the operator may allow this for older clients), the token request must not have a code verifier (RFC 9700
/// section 2.1.1).
private func check(
    _ proof: Proof, against record: AuthorizationCode, allowsMissingProofKey: Bool
) throws(OAuthError) {
    guard record.redirectURI == proof.redirect else { throw .redirectMismatch }
    guard !record.challenge.isEmpty else {
        guard allowsMissingProofKey, proof.verifier == nil else { throw .verifierMismatch }
        return
    }
    guard let verifier = proof.verifier else { throw .missing(.codeVerifier) }
    guard ProofKey.matches(verifier: verifier, challenge: record.challenge) else { throw .verifierMismatch }
}

/// Revokes the tokens that were issued for a code that is used again (RFC 6749 section 4.1.2). Ends the whole session
/// if the code's sign-in began it; otherwise revokes the code's refresh tokens and the primary refresh tokens for which
/// such a refresh token was the proof.
private func revoke(_ record: AuthorizationCode, at time: Timestamp, _ connection: any Connection) throws {
    let actor = record.client.rawValue
    try AuditLog(connection).append(
        AuditLine(
            .codeReplayed, tenant: record.tenant, actor: actor, subject: record.session.rawValue, outcome: "refused",
            at: time))
    if record.beganSession {
        try Sessions(connection).end(
            record.session, tenant: record.tenant, at: time, because: .replayed, by: actor)
    } else {
        try RefreshTokens(connection).revoke(family: record.family, tenant: record.tenant)
        try PrimaryRefreshTokens(connection).revoke(proofFamily: record.family, tenant: record.tenant)
    }
}
