// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

extension Platform {
    /// The text of a refresh token: derived from its place under the storage key, not drawn, so that the reply to a use
    /// that is repeated can be the same again although only a hash is kept.
    func token(of record: RefreshToken) -> OpaqueToken {
        let place = Array("\(record.family) \(record.client) \(record.generation)".utf8)
        return OpaqueToken(
            tenant: record.tenant, secret: storageKey.derived("refresh token", record.tenant.bytes + place))
    }

    /// Runs what uses a refresh token. Where that had been used before, what came of it is revoked, and the use refused.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``, or what `use` throws.
    func revokingReuse<T>(_ use: () async throws -> T) async throws -> T {
        do {
            return try await use()
        } catch let reuse as RefreshTokenUse.Reuse {
            try await database.write { [ambient] connection in
                try RefreshTokenUse(connection: connection, now: ambient.now()).revoke(reuse)
            }
            throw OAuthError.reusedToken
        }
    }

    /// Keeps a refresh token, as part of the transaction that issues it.
    ///
    /// - Throws: ``StorageError``
    func issue(_ record: RefreshToken, at time: Timestamp, _ connection: any Connection) throws -> IssuedRefreshToken {
        let token = token(of: record)
        try RefreshTokens(connection).add(token, record, at: time)
        return IssuedRefreshToken(token: token, expires: record.expires)
    }
}
