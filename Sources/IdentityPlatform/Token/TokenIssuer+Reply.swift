// SPDX-License-Identifier: Apache-2.0
package import OAuth
internal import Redaction
internal import Storage

extension TokenIssuer {
    /// The members of a successful reply of the token endpoint (RFC 6749 section 5.1, OpenID Connect Core 3.1.3.3).
    ///
    /// - Parameters:
    ///   - refreshToken: durable by now.
    ///   - withClientInfo: whether the client sent `client_info=1`.
    /// - Throws: ``StorageError``, or the library's error.
    package func reply(
        _ grant: Grant, refreshToken: IssuedRefreshToken?, withClientInfo: Bool
    ) async throws -> MembersWriter {
        let lifetime = Int(accessTokenLifetime(grant).components.seconds)
        var members = MembersWriter()
        members.set(ReplyName.tokenType, "Bearer")
        switch grant.version {
        case .one:
            let now = Int(environment.now().seconds)
            members.set(ReplyName.scope, grant.scope.permissions.joined(separator: " "))
            members.set(ReplyName.expiresIn, String(lifetime))
            members.set(ReplyName.extendedExpiresIn, String(lifetime))
            members.set(ReplyName.expiresOn, String(now + lifetime))
            members.set(ReplyName.notBefore, String(now))
            members.set(ReplyName.resource, grant.scope.audience)
        case .two:
            members.set(ReplyName.scope, grant.scope.granted.text)
            members.set(ReplyName.expiresIn, lifetime)
            members.set(ReplyName.extendedExpiresIn, lifetime)
        }
        members.set(ReplyName.accessToken, try await accessToken(grant))
        if let refreshToken {
            members.set(ReplyName.refreshToken, refreshToken.token.text.exposed)
            members.set(ReplyName.refreshTokenExpiresIn, Int(refreshToken.expires.seconds - environment.now().seconds))
        }
        if grant.scope.isOpenID { members.set(ReplyName.idToken, try await idToken(grant)) }
        if withClientInfo { members.set(ReplyName.clientInfo, Self.clientInfo(grant.user)) }
        return members
    }

    /// The members of a successful reply to the first request of a sign-in.
    ///
    /// - Throws: ``StorageError``, or the library's error.
    func reply(_ issued: IssuedGrant, withClientInfo: Bool) async throws -> MembersWriter {
        try await reply(issued.grant, refreshToken: issued.refreshToken, withClientInfo: withClientInfo)
    }

    /// Who the person is at home, for clients that build `oid.tid`.
    package static func clientInfo(_ user: User) -> String {
        ClientInfo(userID: user.id.rawValue, tenantID: user.tenant.rawValue).encoded
    }
}
