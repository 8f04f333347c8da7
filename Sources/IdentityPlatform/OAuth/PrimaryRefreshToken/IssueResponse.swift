// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// A PRT that has been stored durably.
struct IssuedPrimaryRefreshToken: Sendable {
    let user: User
    let session: Session
    let client: ClientID
    let expires: Timestamp
}

extension IssuedPrimaryRefreshToken {
    /// Returns the members of the response, with the JSON types that known clients require.
    ///
    /// - Parameter sessionKey: the session key, encrypted for the device; nil for a renewal, which keeps the session
    ///   key.
    func reply(
        _ token: OpaqueToken, tenant: Tenant, sessionKey: String?, by issuer: TokenIssuer
    ) -> MembersWriter {
        let now = issuer.environment.now().seconds
        let lifetime = expires.seconds - now
        var body = MembersWriter()
        body.set(ReplyName.tokenType, "Bearer")
        body.set(ReplyName.refreshToken, token.text.exposed)
        body.set(ReplyName.refreshTokenExpiresIn, Int(lifetime))
        // Known clients require strings here, not numbers.
        body.set(ReplyName.expiresIn, String(lifetime))
        body.set(ReplyName.extendedExpiresIn, "0")
        body.set(ReplyName.expiresOn, String(now + lifetime))
        body.set(ReplyName.sessionKey, sessionKey)
        let identity = identity(tenant: tenant, issuer: issuer.issuer(tenant.id), from: now, to: now + lifetime)
        body.set(ReplyName.idToken, UnsecuredToken.serialise(payload: identity))
        body.set(ReplyName.clientInfo, TokenIssuer.clientInfo(user))
        body.set(ReplyName.deviceTenantID, tenant.id.rawValue)
        return body
    }

    /// Returns the claims of the response's id token. The id token is unsigned, because known clients expect this.
    private func identity(tenant: Tenant, issuer: String, from begin: Int64, to end: Int64) -> [UInt8] {
        var claims = MembersWriter()
        claims.set(ClaimName.audience, client.rawValue)
        claims.set(ClaimName.issuer, issuer)
        claims.set(ClaimName.issuedAt, Int(begin))
        claims.set(ClaimName.notBefore, Int(begin))
        claims.set(ClaimName.expiresAt, Int(end))
        claims.set(ClaimName.authenticationMethods, session.methods)
        claims.set(ClaimName.deviceID, session.device?.id.rawValue)
        claims.set(ClaimName.name, user.profile.displayName)
        claims.set(ClaimName.givenName, user.profile.givenName)
        claims.set(ClaimName.familyName, user.profile.surname)
        claims.set(ClaimName.objectID, user.id.rawValue)
        claims.set(ClaimName.preferredUsername, user.userPrincipalName)
        claims.set(ClaimName.sessionID, session.id.rawValue)
        claims.set(ClaimName.subject, user.id.rawValue)
        claims.set(ClaimName.tenantID, tenant.id.rawValue)
        claims.set(ClaimName.uniqueName, user.userPrincipalName)
        claims.set(ClaimName.userPrincipalName, user.userPrincipalName)
        claims.set(ClaimName.version, "1.0")
        return claims.bytes
    }
}
