// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// Issues a PRT to a device for a person that it proves.
struct PrimaryRefreshTokenIssue: Sendable {
    let platform: Platform

    func respond(to token: CompactJWS, in request: TokenRequest) async throws -> Response {
        guard let tenant = request.tenant else { throw OAuthError.ambiguousTenant }
        let proof = try await platform.deviceProof(token, tenant: tenant.id)
        guard proof.device.isEnabled else { throw OAuthError.disabledDevice }
        guard let issue = try? PrimaryRefreshToken.IssueRequest(proof.claims) else {
            throw OAuthError.malformedSignedRequest
        }
        try platform.nonces.accept(issue.nonce, signed: token.signingInput, for: .issue)
        guard issue.scopes.contains(Scopes.openID), issue.scopes.contains(Scopes.primaryRefreshToken) else {
            throw OAuthError.primaryScopeRequired
        }
        let person = try await person(issue, tenant.id, from: request.peer)
        var generator = AmbientGenerator(ambient: platform.ambient)
        let key = SessionKey.random(using: &generator)
        let primary = OpaqueToken(tenant: tenant.id, ambient: platform.ambient)
        let sealed = try platform.seal(key, of: primary)
        let issued = try await platform.revokingReuse {
            try await platform.database.write { [platform] connection in
                try PrimaryRefreshTokenIssuing(platform: platform, connection: connection)
                    .issue(primary, sealed, issue, to: proof.device.id, for: person, in: tenant)
            }
        }
        let members = try Members(decoding: proof.device.credentials.transportKey)
        let envelope = try SessionKeyEnvelope.seal(key, to: try JSONWebKey(members).encryptionKey())
        return Response(json: reply(issued, tenant, primary, envelope))
    }

    /// The person behind the proof, as far as this can be told before the transaction.
    private func person(
        _ issue: PrimaryRefreshToken.IssueRequest, _ tenant: TenantID, from peer: PeerAddress
    ) async throws -> PersonProof {
        switch issue.proof {
        case .refreshToken(let text):
            guard let token = OpaqueToken(text.exposed), token.tenant == tenant else { throw OAuthError.badGrant }
            return .refreshToken(token)
        case .password(let name, let password):
            guard platform.configuration.compatibility.passwordGrant else { throw OAuthError.passwordProofOff }
            let secret = SecretBytes(copying: password.exposed.utf8)
            let checked = try await platform.passwords.check(
                name: name.exposed, password: secret, tenant: tenant, from: peer)
            guard let checked else {
                try await platform.recordFailedSignIn(
                    name: name.exposed, tenant: tenant, client: issue.clientID,
                    door: .primaryRefreshToken)
                throw OAuthError.badCredentials
            }
            return .password(checked, platform.ambient.identifier())
        }
    }

    private func reply(
        _ issued: IssuedPrimaryRefreshToken, _ tenant: Tenant, _ token: OpaqueToken, _ envelope: String
    ) -> MembersWriter {
        let now = platform.ambient.now().seconds
        let lifetime = issued.expires.seconds - now
        var body = MembersWriter()
        body.set(ReplyName.tokenType, "Bearer")
        body.set(ReplyName.refreshToken, token.text.exposed)
        body.set(ReplyName.refreshTokenExpiresIn, Int(lifetime))
        // Texts, not numbers: so known clients demand it.
        body.set(ReplyName.expiresIn, String(lifetime))
        body.set(ReplyName.extendedExpiresIn, "0")
        body.set(ReplyName.expiresOn, String(now + lifetime))
        body.set(ReplyName.sessionKey, envelope)
        body.set(ReplyName.idToken, UnsecuredToken.serialise(payload: identity(issued, tenant, now, lifetime)))
        body.set(ReplyName.clientInfo, TokenIssuer.clientInfo(issued.user))
        body.set(ReplyName.deviceTenantID, tenant.id.rawValue)
        return body
    }

    /// The name plate of the reply: unsigned, as known clients expect it.
    private func identity(
        _ issued: IssuedPrimaryRefreshToken, _ tenant: Tenant, _ now: Int64, _ lifetime: Int64
    ) -> [UInt8] {
        let user = issued.user
        var claims = MembersWriter()
        claims.set(ClaimName.audience, issued.client.rawValue)
        claims.set(ClaimName.issuer, platform.issuer.issuer(tenant.id))
        claims.set(ClaimName.issuedAt, Int(now))
        claims.set(ClaimName.notBefore, Int(now))
        claims.set(ClaimName.expiresAt, Int(now + lifetime))
        claims.set(ClaimName.authenticationMethods, issued.session.methods)
        claims.set(ClaimName.name, user.profile.displayName)
        claims.set(ClaimName.givenName, user.profile.givenName)
        claims.set(ClaimName.familyName, user.profile.surname)
        claims.set(ClaimName.objectID, user.id.rawValue)
        claims.set(ClaimName.preferredUsername, user.userPrincipalName)
        claims.set(ClaimName.sessionID, issued.session.id.rawValue)
        claims.set(ClaimName.subject, user.id.rawValue)
        claims.set(ClaimName.tenantID, tenant.id.rawValue)
        claims.set(ClaimName.uniqueName, user.userPrincipalName)
        claims.set(ClaimName.userPrincipalName, user.userPrincipalName)
        claims.set(ClaimName.version, "1.0")
        return claims.bytes
    }
}

/// What proves the person, ready for the transaction.
enum PersonProof: Sendable {
    case refreshToken(OpaqueToken)
    /// A password that was right a moment ago, and the id of the session that begins with it.
    case password(CheckedPassword, SessionID)
}

/// A PRT that is durable.
struct IssuedPrimaryRefreshToken: Sendable {
    let user: User
    let session: Session
    let client: ClientID
    let expires: Timestamp
}
