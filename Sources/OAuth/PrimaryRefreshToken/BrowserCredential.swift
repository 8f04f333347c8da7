// SPDX-License-Identifier: Apache-2.0
package import Redaction

/// What signs a browser in by the device's primary refresh token: signed under the session key, sent to the authorisation
/// endpoint as a header or a cookie (MS-OAPXBC).
package struct BrowserCredential: Sendable {
    /// Header and cookie of the credential itself.
    package static let name = "x-ms-RefreshTokenCredential"
    /// What the device's signature says that it is for, unlike every other request that a device signs.
    package static let deviceGrantType = "device_auth"

    package let token: Sensitive<String>
    package let nonce: String

    package init(token: Sensitive<String>, nonce: String) {
        (self.token, self.nonce) = (token, nonce)
    }

    /// Reads the members of a verified credential. An older form has a time in place of the nonce, which whoever reads it
    /// somewhere could use: its nonce is empty, and so too old.
    ///
    /// A request for tokens, which the same key signs, is none: it says who asks for what.
    ///
    /// - Throws: ``MembersFailure``
    package init(_ claims: Members) throws(MembersFailure) {
        for name in [ClaimName.grantType, .clientID, .scope, .resource] {
            guard try claims.optionalString(name) == nil else { throw .wrongType(name.rawValue) }
        }
        token = Sensitive(try claims.string(ClaimName.refreshToken))
        nonce = try claims.optionalString(ClaimName.requestNonce) ?? ""
    }

    /// Signs the credential: HS256, key derivation version 2, a fresh context.
    ///
    /// - Throws: the library's error.
    package func signed(with key: SessionKey, using generator: inout some RandomNumberGenerator) throws -> String {
        var payload = MembersWriter()
        payload.set(ClaimName.refreshToken, token.exposed)
        payload.set(ClaimName.isPrimary, "true")
        payload.set(ClaimName.requestNonce, nonce)
        return try SessionSignedRequest.sign(payload: payload.bytes, with: key, using: &generator)
    }
}
