// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// What a resource answers beside 401 to a bearer token that is of no use (RFC 6750 section 3).
///
/// Where the session behind the token has ended, that is a claims challenge: it tells the client to throw the token away
/// although it looks good, and to ask for another that was made after now. So a token that an app kept is known there to be
/// over as soon as the server knows.
package struct BearerChallenge: Sendable {
    let names: IdentityConfiguration.Names
    let environment: ClockAndRandomness

    /// The value of `WWW-Authenticate`.
    package func header(for refusal: AccessTokens.Refusal) -> String {
        let authorize = "\(names.origin(of: names.login))/common/oauth2/v2.0/authorize"
        let start = "Bearer realm=\"\", authorization_uri=\"\(authorize)\""
        switch refusal {
        case .missing: return start
        case .ended: return "\(start), error=\"insufficient_claims\", claims=\"\(Base64.encode(claims))\""
        case .malformed, .signature, .audience, .expired: return "\(start), error=\"invalid_token\""
        }
    }

    /// What the client is to send as `claims` when it asks again.
    private var claims: [UInt8] {
        var notBefore = MembersWriter()
        notBefore.set(Name.essential, true)
        notBefore.set(Name.value, String(environment.now().seconds))
        var accessToken = MembersWriter()
        accessToken.set(ClaimName.notBefore, notBefore)
        var claims = MembersWriter()
        claims.set(ReplyName.accessToken, accessToken)
        return claims.bytes
    }

    private enum Name: String, WireName { case essential, value }
}

extension AccessTokens {
    /// Makes the answer to a token that ``check(authorization:for:)`` refuses.
    package var challenge: BearerChallenge { BearerChallenge(names: issuer.names, environment: environment) }
}
