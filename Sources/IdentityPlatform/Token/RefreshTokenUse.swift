// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// The use of a refresh token, in the transaction of what it is used for.
struct RefreshTokenUse {
    let connection: any Connection
    let now: Timestamp

    /// A token was used that had been used before. What came of it has to be revoked, in a transaction of its own where
    /// this one does not commit.
    struct Reuse: Error {
        let token: RefreshToken
    }

    /// Finds a client's token and judges it.
    ///
    /// - Throws: ``Reuse``, ``OAuthError``, ``StorageError``
    func check(
        _ token: OpaqueToken, of client: ClientID, for purpose: RefreshTokenRule.Purpose
    ) throws -> RefreshToken {
        let tokens = RefreshTokens(connection)
        guard let record = try tokens.find(token), record.client == client else { throw OAuthError.badGrant }
        let successor = record.used == nil ? nil : try tokens.successor(of: record)
        switch RefreshTokenRule.judge(record, successor: successor, for: purpose, at: now) {
        case .fresh, .repeated: return record
        case .reused: throw Reuse(token: record)
        case .expired: throw OAuthError.expiredGrant
        case .dead: throw OAuthError.badGrant
        }
    }

    /// Takes back what came of the sign-in that a reused token belongs to, and writes it down (RFC 9700 section 4.14.2):
    /// the client's refresh tokens, and what was issued with one of them as its proof.
    ///
    /// - Throws: ``StorageError``
    func revoke(_ reuse: Reuse) throws {
        let token = reuse.token
        guard try RefreshTokens(connection).revoke(chainOf: token, at: now) > 0 else { return }
        try PrimaryRefreshTokens(connection).revoke(proofFamily: token.family, tenant: token.tenant)
        try AuditLog(connection).append(
            .refreshTokenReplayed, tenant: token.tenant, actor: token.client.rawValue,
            subject: token.session.rawValue, outcome: "refused", at: now)
    }
}
