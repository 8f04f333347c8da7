// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// The access tokens that the worker's apps got in this session. Kept in memory only.
struct TokenCache {
    private struct Key: Hashable {
        let clientID: String
        let scopes: Set<String>
        let tenant: String
        let capabilities: Set<String>
    }

    private var tokens: [Key: TokenResponse] = [:]

    /// The minimum remaining lifetime of a token, in seconds. A token with a shorter remaining lifetime is fetched
    /// again.
    private static let leastLife = 120
    /// The maximum number of tokens in a session, so that a client that keeps asking for new sets of scopes cannot fill
    /// the memory.
    private static let maximum = 512

    /// A cached token for exactly these scopes, with enough remaining lifetime; nil if there is none.
    func token(for request: TokenRequest, tenant: String, now: Int) -> TokenResponse? {
        guard !request.forceRefresh, request.claims == nil, let token = tokens[Self.key(request, tenant)],
            token.expiresOn - now >= Self.leastLife
        else { return nil }
        return token
    }

    /// Stores a token. A token with requested claims is for one request only and is not stored.
    mutating func keep(_ token: TokenResponse, for request: TokenRequest, tenant: String, now: Int) {
        guard request.claims == nil else { return }
        if tokens.count >= Self.maximum { tokens = tokens.filter { $0.value.expiresOn - now >= Self.leastLife } }
        guard tokens.count < Self.maximum else { return }
        tokens[Self.key(request, tenant)] = token
    }

    /// Drops the tokens of one client.
    mutating func drop(client clientID: String) {
        let clientID = clientID.lowercased()
        tokens = tokens.filter { $0.key.clientID != clientID }
    }

    private static func key(_ request: TokenRequest, _ tenant: String) -> Key {
        Key(
            clientID: request.client.clientID.lowercased(), scopes: Set(request.scopes.map { $0.lowercased() }),
            tenant: tenant, capabilities: Set(request.clientCapabilities))
    }
}
