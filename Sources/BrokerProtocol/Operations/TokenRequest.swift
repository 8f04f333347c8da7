// SPDX-License-Identifier: Apache-2.0

/// A request for a token: ``Operation/login`` with user interaction, ``Operation/refresh`` without.
package struct TokenRequest: Sendable, Equatable {
    package let client: ClientRequest
    package let redirectURI: String
    /// The authority as a URL, such as `https://login.example/<tenant>`.
    package let authority: String
    package let scopes: [String]
    /// The identifier of the requested account; required by `refresh`.
    package var homeAccountID: String?
    /// The account's user name, or a login hint.
    package var username: String?
    package var prompt: String?
    package var extraScopesToConsent: [String] = []
    /// A claims request as JSON text.
    package var claims: String?
    /// The capabilities that the app declares, such as `cp1`.
    package var clientCapabilities: [String] = []
    /// Query parameters that the app adds to the identity platform's address, including hints.
    package var extraQueryParameters: [String: String] = [:]
    package var forceRefresh = false

    package init(client: ClientRequest, redirectURI: String, authority: String, scopes: [String]) {
        self.client = client
        self.redirectURI = redirectURI
        self.authority = authority
        self.scopes = scopes
    }

    package static let providerType = "provider_aad_v2"

    package var entries: FlatMap {
        var map = client.entries
        map[.redirectURI] = redirectURI
        map[.authority] = authority
        map[.providerType] = Self.providerType
        map[.scope] = scopes.joined(separator: " ")
        map[.extraScopes] = "openid profile offline_access"
        map[.homeAccountID] = homeAccountID
        map[.username] = username
        map[.prompt] = prompt
        map[.claims] = claims
        if !clientCapabilities.isEmpty { map[.clientCapabilities] = clientCapabilities.joined(separator: ",") }
        map[.extraQueryParameters] = QueryText.text(extraQueryParameters)
        if !extraScopesToConsent.isEmpty { map[.extraConsentScopes] = extraScopesToConsent.joined(separator: " ") }
        map.set(.forceRefresh, flag: forceRefresh)
        return map
    }

    /// Refuses maps that do not name the only provider that exists.
    ///
    /// - Throws: ``BrokerError`` -51111 if the provider is missing, -51112 for another one.
    package static func checkProvider(_ map: FlatMap) throws(BrokerError) {
        guard try map.required(.providerType) == providerType else {
            throw BrokerError(
                .developerParameter,
                "\(Key.providerType.rawValue) is not the broker's provider. Send \(providerType).")
        }
    }

    /// - Throws: ``BrokerError`` with the first missing required key, or if a value cannot be read.
    package init(_ map: FlatMap) throws(BrokerError) {
        self.init(
            client: try ClientRequest(map), redirectURI: try map.required(.redirectURI),
            authority: try map.required(.authority), scopes: map.words(.scope))
        try Self.checkProvider(map)
        homeAccountID = map.text(.homeAccountID)
        username = map.text(.username)
        prompt = map[.prompt]
        extraScopesToConsent = map.words(.extraConsentScopes)
        claims = map[.claims]
        clientCapabilities = (map[.clientCapabilities] ?? "").split(separator: ",").map(String.init)
        extraQueryParameters = try map.query(.extraQueryParameters)
        forceRefresh = try map.boolean(.forceRefresh)
    }
}

extension TokenRequest {
    /// Refuses a request that names no account.
    ///
    /// - Throws: ``BrokerError`` -51111.
    package func checkAccount() throws(BrokerError) {
        guard homeAccountID != nil || username != nil else { throw .missing(.homeAccountID) }
    }

    /// Whether the request refers to this account or names no account.
    package func means(_ account: AccountRecord) -> Bool {
        if let homeAccountID, homeAccountID.lowercased() != account.homeAccountID { return false }
        if homeAccountID == nil, let username, username.lowercased() != account.username.lowercased() { return false }
        return true
    }
}
