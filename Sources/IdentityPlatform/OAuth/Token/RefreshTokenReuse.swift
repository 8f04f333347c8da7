// SPDX-License-Identifier: Apache-2.0
internal import Storage

extension TokenTransaction {
    /// The error that is thrown if a refresh token is used a second time. The tokens issued from it are revoked in a
    /// separate transaction, because the transaction that detects the reuse does not commit.
    struct Reuse: Error {
        let token: RefreshToken
    }

    /// Revokes the client's refresh tokens in the family of a reused token, and the primary refresh tokens that were
    /// issued with a token of the family as proof (RFC 9700 section 4.14.2). Writes the audit entry.
    ///
    /// - Throws: ``StorageError``
    func revoke(_ reuse: Reuse) throws {
        let token = reuse.token
        guard try RefreshTokens(connection).revoke(chainOf: token, at: now) > 0 else { return }
        try PrimaryRefreshTokens(connection).revoke(proofFamily: token.family, tenant: token.tenant)
        try AuditLog(connection).append(
            AuditLine(
                .refreshTokenReplayed, tenant: token.tenant, actor: token.client.rawValue,
                subject: token.session.rawValue, outcome: "refused", at: now))
    }
}
