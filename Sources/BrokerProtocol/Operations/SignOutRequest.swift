// SPDX-License-Identifier: Apache-2.0

/// A request to sign the worker out of the whole device.
package struct SignOutRequest: Sendable, Equatable {
    package let client: ClientRequest
    package let homeAccountID: String
    package let authority: String
    package let redirectURI: String
    /// Whether the identity platform's browser session must end too.
    package var signoutFromBrowser = false
    package var wipeAccount = false
    package var wipeCacheForAllAccounts = false
    package var extraQueryParameters: [String: String] = [:]

    package init(client: ClientRequest, homeAccountID: String, authority: String, redirectURI: String) {
        self.client = client
        self.homeAccountID = homeAccountID
        self.authority = authority
        self.redirectURI = redirectURI
    }

    package var entries: FlatMap {
        var map = client.entries
        map[.homeAccountID] = homeAccountID
        map[.authority] = authority
        map[.redirectURI] = redirectURI
        map[.providerType] = TokenRequest.providerType
        map.set(.signoutFromBrowser, flag: signoutFromBrowser)
        map.set(.wipeAccount, flag: wipeAccount)
        map.set(.wipeCacheForAllAccounts, flag: wipeCacheForAllAccounts)
        map[.extraQueryParameters] = QueryText.text(extraQueryParameters)
        return map
    }

    /// - Throws: ``BrokerError`` with the first missing required key, or if a value cannot be read.
    package init(_ map: FlatMap) throws(BrokerError) {
        self.init(
            client: try ClientRequest(map), homeAccountID: try map.required(.homeAccountID),
            authority: try map.required(.authority), redirectURI: try map.required(.redirectURI))
        try TokenRequest.checkProvider(map)
        signoutFromBrowser = try map.boolean(.signoutFromBrowser)
        wipeAccount = try map.boolean(.wipeAccount)
        wipeCacheForAllAccounts = try map.boolean(.wipeCacheForAllAccounts)
        extraQueryParameters = try map.query(.extraQueryParameters)
    }
}
