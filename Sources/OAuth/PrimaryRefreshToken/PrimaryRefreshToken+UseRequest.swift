// SPDX-License-Identifier: Apache-2.0
package import Redaction

extension PrimaryRefreshToken {
    /// A request for an app's tokens through a PRT, signed under the session key.
    package struct UseRequest: Sendable {
        package let token: Sensitive<String>
        /// The app, not the broker.
        package let clientID: String
        package let redirectURI: String?
        package let scopes: Scopes
        /// The resource of the older endpoint; Baton's own device leaves it out.
        package let resource: String?
        package let nonce: String
        /// A claims request, JSON text (OpenID Connect Core section 5.5).
        package let claims: String?

        /// Whether a primary refresh token is asked for in place of this one.
        package var isRenewal: Bool { scopes.contains(Scopes.primaryRefreshToken) }

        /// Whether an access token is asked for, too.
        package var wantsAccess: Bool { resource != nil || scopes.namePermissions }

        /// A renewal: another primary refresh token, and nothing for an app.
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
            // The mark of what signs a browser in.
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
            // Some clients say it twice; another one than the one at hand would be a renewal of what is not proven.
            guard try claims.optionalString(ClaimName.previousRefreshToken) ?? token.exposed == token.exposed else {
                throw .wrongType(ClaimName.previousRefreshToken.rawValue)
            }
            self.claims = try claims.optionalString(ClaimName.claims)
        }

        /// Signs the request: HS256, key derivation version 2, a fresh context.
        ///
        /// - Parameter now: seconds since 1970.
        /// - Throws: the library's error.
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
