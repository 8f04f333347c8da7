// SPDX-License-Identifier: Apache-2.0
package import Redaction

extension PrimaryRefreshToken {
    /// A device's request for a PRT, signed with the device key.
    package struct IssueRequest: Sendable {
        /// How the user is authenticated.
        package enum UserProof: Sendable {
            /// A refresh token of the broker's own client, which the browser sign-in has just returned.
            case refreshToken(Sensitive<String>)
            /// User name and password, if the server's compatibility switch allows it.
            case password(username: Sensitive<String>, password: Sensitive<String>)
            /// An assertion by a key that the worker registered on their own device (``WindowsHelloAssertion``).
            case helloKey(assertion: Sensitive<String>)
        }

        package let clientID: String
        package let nonce: String
        package let scopes: Scopes
        package let proof: UserProof
        /// Absent in requests of third-party clients.
        package let epoch: DeviceEpoch?

        package init(
            clientID: String = WellKnownApplication.broker, nonce: String, scopes: Scopes = PrimaryRefreshToken.scopes,
            proof: UserProof, epoch: DeviceEpoch?
        ) {
            self.clientID = clientID
            self.nonce = nonce
            self.scopes = scopes
            self.proof = proof
            self.epoch = epoch
        }

        /// Reads the members of a verified request.
        ///
        /// - Throws: ``MembersFailure``; `wrongType` for `grant_type` if the proof is not supported.
        package init(_ claims: Members) throws(MembersFailure) {
            clientID = try claims.string(ClaimName.clientID)
            nonce = try claims.string(ClaimName.requestNonce)
            guard let scopes = Scopes(parsing: try claims.string(ClaimName.scope)) else {
                throw .wrongType(ClaimName.scope.rawValue)
            }
            self.scopes = scopes
            epoch = try DeviceEpoch.read(claims)
            switch GrantType(rawValue: try claims.string(ClaimName.grantType)) {
            case .refreshToken:
                proof = .refreshToken(Sensitive(try claims.string(ClaimName.refreshToken)))
            case .password:
                proof = .password(
                    username: Sensitive(try claims.string(ClaimName.username)),
                    password: Sensitive(try claims.string(ClaimName.password)))
            case .jwtBearer:
                proof = .helloKey(assertion: Sensitive(try claims.string(ClaimName.assertion)))
            default:
                throw .wrongType(ClaimName.grantType.rawValue)
            }
        }

        /// Signs the request: RS256 or ES256 with the device key, the certificate (DER) in `x5c`, and `kdf_ver` 2.
        ///
        /// - Throws: the error of the cryptography library.
        package func signed(with deviceKey: SigningKey, certificate: [UInt8]) throws -> String {
            try TokenSigner(key: deviceKey, certificate: certificate, keyDerivationVersion: .two)
                .token(payload: payload)
        }

        private var payload: [UInt8] {
            var payload = MembersWriter()
            payload.set(ClaimName.clientID, clientID)
            payload.set(ClaimName.scope, scopes.text)
            payload.set(ClaimName.requestNonce, nonce)
            switch proof {
            case .refreshToken(let token):
                payload.set(ClaimName.grantType, GrantType.refreshToken.rawValue)
                payload.set(ClaimName.refreshToken, token.exposed)
            case .password(let username, let password):
                payload.set(ClaimName.grantType, GrantType.password.rawValue)
                payload.set(ClaimName.username, username.exposed)
                payload.set(ClaimName.password, password.exposed)
            case .helloKey(let assertion):
                payload.set(ClaimName.grantType, GrantType.jwtBearer.rawValue)
                payload.set(ClaimName.assertion, assertion.exposed)
            }
            epoch?.write(to: &payload)
            return payload.bytes
        }
    }
}
