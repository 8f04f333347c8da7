// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// An assertion that replaces a password (Windows Hello). It names the user who signs in and is signed with that user's
/// key.
package struct WindowsHelloAssertion: Sendable {
    package let userName: String
    package let nonce: String
    /// Seconds since 1970.
    package let expiresAt: Int

    /// An assertion whose signature has not been checked; it names the key.
    package struct Unverified: Sendable {
        /// The SHA-256 of the public key, in the encoding that the device used to register it.
        package let keyHash: [UInt8]
        private let token: CompactJWS

        /// Parses the assertion.
        ///
        /// - Throws: ``JOSEFailure``
        package init(_ text: String) throws(JOSEFailure) {
            token = try CompactJWS(text, limit: 8 * 1024)
            guard token.algorithm == .rs256, token.header[HeaderName.use] == .string("ngc") else { throw .unsupported }
            guard let name = token.keyID, let hash = try? Base64.decodeLeniently(name), hash.count == 32 else {
                throw .malformed
            }
            keyHash = hash
        }

        /// The bytes that the signature covers.
        package var signingInput: [UInt8] { token.signingInput }

        /// Checks the signature with the registered key and returns the assertion.
        ///
        /// - Throws: ``JOSEFailure``
        package func verified(with key: VerificationKey) throws(JOSEFailure) -> WindowsHelloAssertion {
            try token.verify(with: key)
            do throws(MembersFailure) {
                let claims = try token.claims()
                guard let expiresAt = try claims.lenientInteger(ClaimName.expiresAt) else {
                    throw .missing(ClaimName.expiresAt.rawValue)
                }
                return WindowsHelloAssertion(
                    userName: try claims.string(ClaimName.issuer), nonce: try claims.string(ClaimName.requestNonce),
                    expiresAt: expiresAt)
            } catch {
                throw .malformed
            }
        }
    }
}
