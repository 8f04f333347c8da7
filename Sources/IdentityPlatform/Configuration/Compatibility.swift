// SPDX-License-Identifier: Apache-2.0

/// What older clients need and a new organisation should not have: each switch is off unless the operator turns it on.
package struct Compatibility: Sendable, Equatable {
    /// Whether a name and a password are accepted outside the sign-in page: as a grant of the token endpoint (RFC 6749
    /// section 4.3) and as the proof of a primary refresh token.
    package var passwordGrant: Bool
    /// Whether a signed request may use the first key derivation, which does not bind the payload, and gets its reply
    /// encrypted without authentication, as the clients that need the one need the other.
    package var keyDerivationVersionOne: Bool
    /// Whether a client may ask for a code without a proof key (RFC 7636), as those do that are older than it: then
    /// whoever reads the code on its way can redeem it.
    package var codeWithoutProofKey: Bool

    /// Whether a browser credential may come as a cookie with a nonce of the token endpoint, which no browser was given:
    /// then whoever can plant a cookie in another's browser signs that in as themselves.
    package var unboundCredentialCookie: Bool

    package init(
        passwordGrant: Bool = false, keyDerivationVersionOne: Bool = false, codeWithoutProofKey: Bool = false,
        unboundCredentialCookie: Bool = false
    ) {
        (self.passwordGrant, self.keyDerivationVersionOne) = (passwordGrant, keyDerivationVersionOne)
        (self.codeWithoutProofKey, self.unboundCredentialCookie) = (codeWithoutProofKey, unboundCredentialCookie)
    }
}
