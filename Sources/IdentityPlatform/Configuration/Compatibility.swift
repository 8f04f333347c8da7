// SPDX-License-Identifier: Apache-2.0

/// Switches for older clients. Each is off unless the operator turns it on; new organisations should not need any.
package struct Compatibility: Sendable, Equatable {
    /// Accepts a name and a password outside the sign-in page: as a grant at the token endpoint (RFC 6749 section 4.3)
    /// and as the proof for a primary refresh token.
    package var passwordGrant: Bool
    /// Accepts requests whose signing key was derived with version 1 of the key derivation, which does not bind the key
    /// to the payload. The replies to such requests are encrypted without authentication, because clients that need
    /// this derivation cannot decrypt other replies.
    package var keyDerivationVersionOne: Bool
    /// Lets a client request a code without PKCE (RFC 7636), as clients older than that standard do. Anyone who
    /// intercepts such a code can redeem it.
    package var codeWithoutProofKey: Bool

    /// Accepts a browser credential in a cookie even if the credential's nonce comes from the token endpoint and is
    /// therefore not bound to a browser. If this is allowed, an attacker who can plant a cookie in another person's
    /// browser can sign that browser in to the attacker's own account.
    package var unboundCredentialCookie: Bool

    package init(
        passwordGrant: Bool = false, keyDerivationVersionOne: Bool = false, codeWithoutProofKey: Bool = false,
        unboundCredentialCookie: Bool = false
    ) {
        (self.passwordGrant, self.keyDerivationVersionOne) = (passwordGrant, keyDerivationVersionOne)
        (self.codeWithoutProofKey, self.unboundCredentialCookie) = (codeWithoutProofKey, unboundCredentialCookie)
    }
}
