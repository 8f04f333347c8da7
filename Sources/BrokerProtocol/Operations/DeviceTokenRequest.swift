// SPDX-License-Identifier: Apache-2.0

/// A request for a token for the shared device itself, without a user (``Operation/deviceToken``).
package struct DeviceTokenRequest: Sendable, Equatable {
    package let client: ClientRequest
    package let redirectURI: String
    /// The resource for which the token is requested.
    package let resource: String
    package let scopes: [String]

    package init(client: ClientRequest, redirectURI: String, resource: String, scopes: [String]) {
        self.client = client
        self.redirectURI = redirectURI
        self.resource = resource
        self.scopes = scopes
    }

    package var entries: FlatMap {
        var map = client.entries
        map[.redirectURI] = redirectURI
        map[.resource] = resource
        if !scopes.isEmpty { map[.scope] = scopes.joined(separator: " ") }
        return map
    }

    /// - Throws: ``BrokerError`` with the first missing required key.
    package init(_ map: FlatMap) throws(BrokerError) {
        self.init(
            client: try ClientRequest(map), redirectURI: try map.required(.redirectURI),
            resource: try map.required(.resource), scopes: map.words(.scope))
    }
}

/// The response to a ``DeviceTokenRequest``.
package struct DeviceTokenResponse: Sendable, Equatable {
    package let authority: String
    package let accessToken: String
    package let scopes: [String]
    /// Seconds since 1970.
    package let expiresOn: Int

    package init(authority: String, accessToken: String, scopes: [String], expiresOn: Int) {
        self.authority = authority
        self.accessToken = accessToken
        self.scopes = scopes
        self.expiresOn = expiresOn
    }

    package var entries: FlatMap {
        FlatMap([
            .authority: authority, .accessToken: accessToken, .scope: scopes.joined(separator: " "),
            .expiresOn: String(expiresOn), .tokenType: "Bearer",
        ])
    }

    /// - Throws: ``BrokerError`` if a required entry is missing or unreadable.
    package init(_ map: FlatMap) throws(BrokerError) {
        guard let expiresOn = Int(try map.required(.expiresOn)) else {
            throw BrokerError(.internal, "The broker's expiry is not a number. Update the broker.")
        }
        self.init(
            authority: try map.required(.authority), accessToken: try map.required(.accessToken),
            scopes: map.words(.scope), expiresOn: expiresOn)
    }
}
