// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// The access tokens that the worker's apps were given in this session; dies with the process.
struct TokenCache {
    private struct Key: Hashable {
        let clientID: String
        let scopes: Set<String>
        let tenant: String
        let capabilities: Set<String>
    }

    private var tokens: [Key: TokenResponse] = [:]

    /// A token with less life than this, in seconds, is fetched anew.
    private static let leastLife = 120
    /// Tokens of one session; a client that asks for ever new sets of scopes cannot fill the memory.
    private static let maximum = 512

    /// A token that still lives long enough for exactly these scopes.
    func token(for request: TokenRequest, tenant: String, now: Int) -> TokenResponse? {
        guard !request.forceRefresh, request.claims == nil, let token = tokens[Self.key(request, tenant)],
            token.expiresOn - now >= Self.leastLife
        else { return nil }
        return token
    }

    /// Keeps what was asked without special wishes: a token with asked claims is for one request.
    mutating func keep(_ token: TokenResponse, for request: TokenRequest, tenant: String, now: Int) {
        guard request.claims == nil else { return }
        if tokens.count >= Self.maximum { tokens = tokens.filter { $0.value.expiresOn - now >= Self.leastLife } }
        guard tokens.count < Self.maximum else { return }
        tokens[Self.key(request, tenant)] = token
    }

    /// Forgets the tokens of one client.
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
