// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction

/// The person that an id token names.
package struct SignedInPerson: Codable, Sendable, Equatable {
    package let objectID: String
    package let tenantID: String
    package let userName: String
    package let name: String?

    /// Reads an id token that came from the token endpoint. The TLS connection to that endpoint authenticates the
    /// token (OpenID Connect Core section 3.1.3.7, number 6), so its signature is not checked.
    ///
    /// - Parameters:
    ///   - nonce: the nonce of the authorization request; nil if the sign-in has none.
    ///   - now: seconds since 1970.
    /// - Throws: ``CommandFailure`` `sign_in_server`.
    init(_ idToken: Sensitive<String>?, from server: AuthorizationServer, nonce: String?, now: Int) throws {
        guard let idToken, let claims = try? CompactJWS(idToken.exposed).claims(),
            let tenantID = try? claims.string(ClaimName.tenantID),
            let objectID = try? claims.string(ClaimName.objectID),
            let userName = try? claims.string(ClaimName.preferredUsername),
            let issuer = try? claims.string(ClaimName.issuer),
            let audience = try? claims.stringOrStrings(ClaimName.audience),
            let expiresAt = try? claims.integer(ClaimName.expiresAt)
        else { throw Self.refused(server, "its answer contains no usable id token") }
        guard issuer == server.issuer(of: tenantID), audience == [AdministrationApp.clientID] else {
            throw Self.refused(server, "its id token is not for this sign-in")
        }
        guard expiresAt > now - Self.clockDifference else {
            throw Self.refused(server, "its id token has expired; the clock of one of the machines is wrong")
        }
        if let nonce {
            let own = (try? claims.optionalString(ClaimName.nonce)).flatMap(\.self) ?? ""
            guard equalInConstantTime(Array(own.utf8), Array(nonce.utf8)) else {
                throw Self.refused(server, "its id token is not for this sign-in")
            }
        }
        (self.objectID, self.tenantID, self.userName) = (objectID, tenantID, userName)
        name = (try? claims.optionalString(ClaimName.name)).flatMap(\.self)
    }

    /// How many seconds the clocks of this machine and the server may differ.
    private static let clockDifference = 300

    private static func refused(_ server: AuthorizationServer, _ reason: String) -> CommandFailure {
        AuthorizationServer.unusable(server.tokenEndpoint, reason)
    }
}
