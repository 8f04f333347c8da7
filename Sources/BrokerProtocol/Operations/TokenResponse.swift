// SPDX-License-Identifier: Apache-2.0

/// The response to a ``TokenRequest``: an access token and its account. It never contains the PRT or a refresh token.
package struct TokenResponse: Sendable, Equatable {
    package let authority: String
    package let accessToken: String
    package let idToken: String
    package let scopes: [String]
    /// Seconds since 1970.
    package let expiresOn: Int
    package let clientInfo: String
    package var correlationID: String?

    package init(
        authority: String, accessToken: String, idToken: String, scopes: [String], expiresOn: Int, clientInfo: String
    ) {
        self.authority = authority
        self.accessToken = accessToken
        self.idToken = idToken
        self.scopes = scopes
        self.expiresOn = expiresOn
        self.clientInfo = clientInfo
    }

    package var entries: FlatMap {
        var map = FlatMap([
            .authority: authority, .accessToken: accessToken, .idToken: idToken,
            .scope: scopes.joined(separator: " "), .expiresOn: String(expiresOn), .clientInfo: clientInfo,
            .tokenType: "Bearer", .providerType: TokenRequest.providerType,
        ])
        map[.correlationID] = correlationID
        return map
    }

    /// - Throws: ``BrokerError`` if a required entry is missing or unreadable.
    package init(_ map: FlatMap) throws(BrokerError) {
        guard let expiresOn = Int(try map.required(.expiresOn)) else {
            throw BrokerError(.internal, "The broker's expiry is not a number. Update the broker.")
        }
        self.init(
            authority: try map.required(.authority), accessToken: try map.required(.accessToken),
            idToken: try map.required(.idToken), scopes: map.words(.scope), expiresOn: expiresOn,
            clientInfo: try map.required(.clientInfo))
        correlationID = map[.correlationID]
    }
}
