// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Redaction

/// A sign-in as it is kept from one command to the next.
struct KeptSignIn: Codable, Sendable {
    /// The address of the administration. The tokens are never sent to another address.
    let administration: String
    let person: SignedInPerson
    let tokenEndpoint: String
    let revocationEndpoint: String?
    /// Nil if the server has issued none.
    var refreshToken: Sensitive<String>?
    var accessToken: Sensitive<String>
    /// When the access token expires, in seconds since 1970.
    var expiresAt: Int

    init(_ outcome: PersonSignIn.Outcome, from server: AuthorizationServer, for administration: ServerURL, now: Int) {
        self.administration = administration.origin
        (person, tokenEndpoint, revocationEndpoint) =
            (outcome.person, server.tokenEndpoint, server.revocationEndpoint)
        (refreshToken, accessToken) = (outcome.tokens.refreshToken, outcome.tokens.accessToken)
        expiresAt = now + outcome.tokens.lifetime
    }

    /// Replaces the tokens with those of a refresh.
    mutating func renew(with tokens: TokenReply, now: Int) {
        accessToken = tokens.accessToken
        expiresAt = now + tokens.lifetime
        // RFC 6749 section 6: without a new refresh token, the former one stays valid.
        refreshToken = tokens.refreshToken ?? refreshToken
    }

    /// Reads what ``encoded()`` has written; returns nil if it is something else.
    init?(decoding bytes: [UInt8]) {
        guard let kept = try? JSONDecoder().decode(KeptSignIn.self, from: Data(bytes)),
            ServerURL(kept.tokenEndpoint) != nil,
            kept.revocationEndpoint == nil || kept.revocationEndpoint.flatMap(ServerURL.init) != nil
        else { return nil }
        self = kept
    }

    /// Returns the JSON text. The caller overwrites it.
    func encoded() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }
}
