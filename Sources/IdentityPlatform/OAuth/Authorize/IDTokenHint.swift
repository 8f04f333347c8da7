// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// An id token issued by this platform, with which a client names the person it means (`id_token_hint`). The token may
/// have expired (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout 1.0 section 4).
struct IDTokenHint: Sendable {
    let user: UserID
    /// The application that the token was issued to.
    let client: ClientID?
    let session: SessionID?

    /// Parses a token; returns nil if it was not signed with one of these keys or is not an id token. An access token
    /// is signed with the same keys, but it has no `auth_time`, and it has `scp` and `appid`, which no id token has.
    init?(_ text: String, keys: [TenantKey]) {
        guard text.utf8.count <= 16 * 1024, let token = try? CompactJWS(text),
            let key = keys.first(where: { $0.id == token.keyID }),
            (try? token.verify(with: key.verification)) != nil, let claims = try? token.claims(),
            (try? claims.integer(ClaimName.authenticationTime)) != nil, claims[ClaimName.scopes] == nil,
            claims[ClaimName.appID] == nil, claims[ClaimName.identityType] == nil,
            let user = (try? claims.string(ClaimName.objectID)).flatMap(UserID.init(rawValue:))
        else { return nil }
        self.user = user
        client = (try? claims.string(ClaimName.audience)).flatMap(ClientID.init(rawValue:))
        session = (try? claims.string(ClaimName.sessionID)).flatMap(SessionID.init(rawValue:))
    }
}
