// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

private let refreshTokenLabel = "refresh token"

extension Platform {
    /// The text of a refresh token: derived from its place under the storage key, not drawn, so that the reply to a use
    /// that is repeated can be the same again although only a hash is kept.
    func token(of record: RefreshToken) -> OpaqueToken {
        OpaqueToken(tenant: record.tenant, secret: storageKey.derived(refreshTokenLabel, place(of: record)))
    }

    /// The text of a refresh token that was issued before, perhaps by an older server.
    ///
    /// - Throws: ``StorageError``
    func token(kept record: RefreshToken, _ connection: any Connection) throws -> OpaqueToken {
        let token = token(of: record)
        guard try RefreshTokens(connection).find(token) == nil else { return token }
        let former = OpaqueToken(
            tenant: record.tenant, secret: storageKey.formerlyDerived(refreshTokenLabel, place(of: record)))
        return try RefreshTokens(connection).find(former) == nil ? token : former
    }

    private func place(of record: RefreshToken) -> [UInt8] {
        record.tenant.bytes + Array("\(record.family) \(record.client) \(record.generation)".utf8)
    }

    /// Runs what uses a refresh token. Where that had been used before, what came of it is revoked, and the use refused.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``, or what `use` throws.
    func revokingReuse<T>(_ use: () async throws -> T) async throws -> T {
        do {
            return try await use()
        } catch let reuse as RefreshTokenUse.Reuse {
            try await database.write { [environment] connection in
                try RefreshTokenUse(connection: connection, now: environment.now()).revoke(reuse)
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
