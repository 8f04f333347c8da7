// SPDX-License-Identifier: Apache-2.0
package import Redaction

/// A credential that signs a browser in with the device's primary refresh token. It is signed with the session key and
/// sent to the authorization endpoint as a header or a cookie (MS-OAPXBC).
package struct BrowserCredential: Sendable {
    /// The name of the header and the cookie.
    package static let name = "x-ms-RefreshTokenCredential"
    /// The grant type of a device-signed credential for browsers. No other device-signed request has it.
    package static let deviceGrantType = "device_auth"

    package let token: Sensitive<String>
    package let nonce: String

    package init(token: Sensitive<String>, nonce: String) {
        (self.token, self.nonce) = (token, nonce)
    }

    /// Reads the members of a verified credential. An older form of the credential has a time instead of a nonce, so
    /// anyone who obtains such a credential could replay it. Its nonce is read as empty and therefore counts as too
    /// old.
    ///
    /// Refuses a token request, which is signed with the same key. A token request is recognised by its members for the
    /// client and the requested tokens.
    ///
    /// - Throws: ``MembersFailure``
    package init(_ claims: Members) throws(MembersFailure) {
        for name in [ClaimName.grantType, .clientID, .scope, .resource] {
            guard try claims.optionalString(name) == nil else { throw .wrongType(name.rawValue) }
        }
        token = Sensitive(try claims.string(ClaimName.refreshToken))
        nonce = try claims.optionalString(ClaimName.requestNonce) ?? ""
    }

    /// Signs the credential: HS256, key derivation version 2, a new context.
    ///
    /// - Throws: the error of the cryptography library.
    package func signed(with key: SessionKey, using generator: inout some RandomNumberGenerator) throws -> String {
        var payload = MembersWriter()
        payload.set(ClaimName.refreshToken, token.exposed)
        payload.set(ClaimName.isPrimary, "true")
        payload.set(ClaimName.requestNonce, nonce)
        return try SessionSignedRequest.sign(payload: payload.bytes, with: key, using: &generator)
    }
}
