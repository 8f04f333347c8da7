// SPDX-License-Identifier: Apache-2.0
package import Redaction

extension PrimaryRefreshToken {
    /// A request for an app's tokens with a PRT, signed with the session key.
    package struct UseRequest: Sendable {
        package let token: Sensitive<String>
        /// The app's client id, not the broker's.
        package let clientID: String
        package let redirectURI: String?
        package let scopes: Scopes
        /// The resource, for the older endpoint; Baton's own device does not send it.
        package let resource: String?
        package let nonce: String
        /// A claims request as JSON text (OpenID Connect Core section 5.5).
        package let claims: String?

        /// Whether the request asks for a new primary refresh token in place of the current one.
        package var isRenewal: Bool { scopes.contains(Scopes.primaryRefreshToken) }

        /// Whether the request asks for an access token as well.
        package var wantsAccess: Bool { resource != nil || scopes.namePermissions }

        /// Makes a renewal, which is a request for a new primary refresh token and for no tokens of an app.
        package static func renewal(of token: Sensitive<String>, nonce: String) -> UseRequest {
            UseRequest(
                token: token, clientID: WellKnownApplication.broker, redirectURI: nil,
                scopes: PrimaryRefreshToken.scopes, nonce: nonce)
        }

        package init(
            token: Sensitive<String>, clientID: String, redirectURI: String?, scopes: Scopes, nonce: String,
            claims: String? = nil
        ) {
            self.token = token
            self.clientID = clientID
            self.redirectURI = redirectURI
            self.scopes = scopes
            resource = nil
            self.nonce = nonce
            self.claims = claims
        }

        /// Reads the members of a verified request.
        ///
        /// - Throws: ``MembersFailure``.
        package init(_ claims: Members) throws(MembersFailure) {
            guard try claims.string(ClaimName.grantType) == GrantType.refreshToken.rawValue else {
                throw .wrongType(ClaimName.grantType.rawValue)
            }
            // This member marks a browser credential, which is signed with the same key.
            guard try claims.lenientBool(ClaimName.isPrimary) == nil else {
                throw .wrongType(ClaimName.isPrimary.rawValue)
            }
            token = Sensitive(try claims.string(ClaimName.refreshToken))
            clientID = try claims.string(ClaimName.clientID)
            redirectURI = try claims.optionalString(ClaimName.redirectURI)
            guard let scopes = Scopes(parsing: try claims.optionalString(ClaimName.scope) ?? "") else {
                throw .wrongType(ClaimName.scope.rawValue)
            }
            self.scopes = scopes
            resource = try claims.optionalString(ClaimName.resource)
            nonce = try claims.string(ClaimName.requestNonce)
            // Some clients repeat the token in this member. A different token is refused, because the request does not
            // prove possession of it.
            guard try claims.optionalString(ClaimName.previousRefreshToken) ?? token.exposed == token.exposed else {
                throw .wrongType(ClaimName.previousRefreshToken.rawValue)
            }
            self.claims = try claims.optionalString(ClaimName.claims)
        }

        /// Signs the request: HS256, key derivation version 2, a new context.
        ///
        /// - Parameter now: seconds since 1970.
        /// - Throws: the error of the cryptography library.
        package func signed(
            with key: SessionKey, now: Int, using generator: inout some RandomNumberGenerator
        ) throws -> String {
            var payload = MembersWriter()
            payload.set(ClaimName.issuer, WellKnownApplication.broker)
            payload.set(ClaimName.audience, PrimaryRefreshToken.useAudience)
            payload.set(ClaimName.grantType, GrantType.refreshToken.rawValue)
            payload.set(ClaimName.refreshToken, token.exposed)
            if isRenewal { payload.set(ClaimName.previousRefreshToken, token.exposed) }
            payload.set(ClaimName.clientID, clientID)
            payload.set(ClaimName.redirectURI, redirectURI)
            payload.set(ClaimName.scope, scopes.text)
            payload.set(ClaimName.requestNonce, nonce)
            payload.set(ClaimName.claims, claims)
            payload.set(ClaimName.issuedAt, now)
            payload.set(ClaimName.expiresAt, now + PrimaryRefreshToken.nonceLifetime)
            return try SessionSignedRequest.sign(payload: payload.bytes, with: key, using: &generator)
        }
    }
}
