// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// A PRT that is durable.
struct IssuedPrimaryRefreshToken: Sendable {
    let user: User
    let session: Session
    let client: ClientID
    let expires: Timestamp
}

/// What the device is told with a PRT, in the types that known clients demand.
struct IssueResponse {
    let platform: Platform

    /// The members of the reply.
    ///
    /// - Parameter envelope: the session key for the device; nil for a renewal, where it stays the same.
    func members(
        _ issued: IssuedPrimaryRefreshToken, _ tenant: Tenant, _ token: OpaqueToken, _ envelope: String?
    ) -> MembersWriter {
        let now = platform.environment.now().seconds
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
        claims.set(ClaimName.deviceID, issued.session.device?.id.rawValue)
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
