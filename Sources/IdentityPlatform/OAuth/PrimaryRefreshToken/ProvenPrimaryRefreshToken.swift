// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// A PRT whose session key signed the current request.
struct ProvenPrimaryRefreshToken: Sendable {
    let token: OpaqueToken
    let record: StoredPrimaryRefreshToken
    let key: SessionKey
    /// The request's claims.
    let claims: Members

    /// Finds the token that a request names and verifies the request's signature with the token's session key. Does not
    /// check the session.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    init(
        _ unverified: SessionSignedRequest.Unverified, of token: OpaqueToken, in transaction: TokenTransaction
    ) throws {
        guard let record = try PrimaryRefreshTokens(transaction.connection).find(token) else {
            throw OAuthError.badGrant
        }
        // The row was changed or copied. The client must sign in again.
        do { key = try transaction.open(record.sealedSessionKey, of: token) } catch { throw OAuthError.badGrant }
        do { claims = try unverified.verified(with: key) } catch { throw OAuthError.wrongSignature }
        (self.token, self.record) = (token, record)
    }
}
