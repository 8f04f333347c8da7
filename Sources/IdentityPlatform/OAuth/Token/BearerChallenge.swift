// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// A resource's challenge in a 401 response to an unusable bearer token (RFC 6750 section 3).
///
/// If the token's session has ended, the response contains a claims challenge. It tells the client to discard the
/// token, although the token looks valid, and to request a new one. A client that uses a cached token therefore learns
/// at once that the token is invalid.
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

    /// The `claims` that the client must send in its next request.
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
    /// The challenge for tokens that ``check(authorization:for:)`` refuses.
    package var challenge: BearerChallenge { BearerChallenge(names: issuer.names, environment: environment) }
}
