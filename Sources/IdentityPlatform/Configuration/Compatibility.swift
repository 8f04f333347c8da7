// SPDX-License-Identifier: Apache-2.0

/// Switches for older clients. Each is off unless the operator turns it on; new organisations should not need any.
package struct Compatibility: Sendable, Equatable {
    /// Accepts a name and a password outside the sign-in page: as a grant at the token endpoint (RFC 6749 section 4.3)
    /// and as the proof for a primary refresh token.
    package var passwordGrant: Bool
    /// Accepts signed requests with the first key derivation, which does not bind the payload. Their replies are
    /// encrypted without authentication, because clients that need this derivation also need such replies.
    package var keyDerivationVersionOne: Bool
    /// Lets a client request a code without PKCE (RFC 7636), as clients older than that standard do. Anyone who
    /// intercepts such a code can redeem it.
    package var codeWithoutProofKey: Bool

    /// Accepts a browser credential in a cookie even if its nonce comes from the token endpoint and so is not bound to
    /// a browser. Anyone who can plant a cookie in another person's browser can then sign that browser in to their own
    /// account.
    package var unboundCredentialCookie: Bool

    package init(
        passwordGrant: Bool = false, keyDerivationVersionOne: Bool = false, codeWithoutProofKey: Bool = false,
        unboundCredentialCookie: Bool = false
    ) {
        (self.passwordGrant, self.keyDerivationVersionOne) = (passwordGrant, keyDerivationVersionOne)
        (self.codeWithoutProofKey, self.unboundCredentialCookie) = (codeWithoutProofKey, unboundCredentialCookie)
    }
}
