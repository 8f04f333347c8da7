// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A request for a token for the device itself, without a user (`grant_type` device_token), signed with the device key.
package struct DeviceTokenGrantRequest: Sendable {
    /// The app that requests the token.
    package let clientID: String
    package let redirectURI: String?
    package let scopes: Scopes
    package let resource: String?
    package let nonce: String

    package init(clientID: String, redirectURI: String?, scopes: Scopes, resource: String?, nonce: String) {
        (self.clientID, self.redirectURI) = (clientID, redirectURI)
        (self.scopes, self.resource, self.nonce) = (scopes, resource, nonce)
    }

    /// Reads the members of a verified request.
    ///
    /// - Throws: ``MembersFailure``
    package init(_ claims: Members) throws(MembersFailure) {
        guard Self.isMeant(by: claims) else { throw .wrongType(ClaimName.grantType.rawValue) }
        clientID = try claims.string(ClaimName.clientID)
        redirectURI = try claims.optionalString(ClaimName.redirectURI)
        guard let scopes = Scopes(parsing: try claims.optionalString(ClaimName.scope) ?? "") else {
            throw .wrongType(ClaimName.scope.rawValue)
        }
        self.scopes = scopes
        resource = try claims.optionalString(ClaimName.resource)
        nonce = try claims.string(ClaimName.requestNonce)
    }

    /// Whether a device-signed request is for a device token.
    package static func isMeant(by claims: Members) -> Bool {
        claims[ClaimName.grantType] == .string(GrantType.deviceToken.rawValue)
    }

    /// Returns the form to post, signed with the device key; `certificate` is in DER format.
    ///
    /// - Parameter audience: the token endpoint's URL.
    /// - Throws: the error of the cryptography library.
    package func form(
        signedWith deviceKey: SigningKey, certificate: [UInt8], audience: String
    ) throws -> FormParameters {
        var payload = MembersWriter()
        payload.set(ClaimName.grantType, GrantType.deviceToken.rawValue)
        payload.set(ClaimName.audience, audience)
        payload.set(ClaimName.issuer, clientID)
        payload.set(ClaimName.clientID, clientID)
        payload.set(ClaimName.redirectURI, redirectURI)
        payload.set(ClaimName.requestNonce, nonce)
        payload.set(ClaimName.resource, resource)
        if !scopes.values.isEmpty { payload.set(ClaimName.scope, scopes.text) }
        let signer = TokenSigner(key: deviceKey, certificate: certificate)
        return PrimaryRefreshToken.form(request: try signer.token(payload: payload.bytes))
    }
}
