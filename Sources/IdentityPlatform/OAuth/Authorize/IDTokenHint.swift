// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// An id token of this platform with which a client says whom it means (`id_token_hint`). It may have expired; only the
/// person it was issued for matters (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout 1.0 section 4).
struct IDTokenHint: Sendable {
    let user: UserID
    /// The application that it was issued to.
    let client: ClientID?
    let session: SessionID?

    /// Parses a token; nil if none of these keys signed it or it is not an id token. An access token is signed with the
    /// same keys, but has no `auth_time`, and has `scp` and `appid`, which no id token has.
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
