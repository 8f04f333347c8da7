// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// A PRT whose session key has signed the request at hand.
struct ProvenPrimaryRefreshToken: Sendable {
    let token: OpaqueToken
    let record: StoredPrimaryRefreshToken
    let key: SessionKey
    /// What the request says.
    let claims: Members

    /// Finds the token that a request names and checks the request's signature with the session key beside it. Nothing is
    /// said of the session yet.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    init(
        _ unverified: SessionSignedRequest.Unverified, of token: OpaqueToken, in transaction: TokenTransaction
    ) throws {
        guard let record = try PrimaryRefreshTokens(transaction.connection).find(token) else {
            throw OAuthError.badGrant
        }
        // A row that was changed or copied: the client can only begin anew.
        do { key = try transaction.open(record.sealedSessionKey, of: token) } catch { throw OAuthError.badGrant }
        do { claims = try unverified.verified(with: key) } catch { throw OAuthError.wrongSignature }
        (self.token, self.record) = (token, record)
    }
}
