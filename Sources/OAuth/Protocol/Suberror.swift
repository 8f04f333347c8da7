// SPDX-License-Identifier: Apache-2.0

/// Values of `suberror` that Baton sends or acts upon.
package enum Suberror {
    /// A PRT request names an epoch that this device has already left (Baton's own).
    package static let staleEpoch = "stale_epoch"
    /// The nonce is too old, or the server has restarted since it issued the nonce. The client must fetch a new nonce
    /// and sign again (Baton's own).
    package static let staleNonce = "stale_nonce"
    /// The identical request was already answered (Baton's own).
    package static let replayedRequest = "replayed_request"
    /// The token is revoked or was not issued by this server.
    package static let badToken = "bad_token"
    /// The token has expired.
    package static let tokenExpired = "token_expired"
    /// The device is unknown, deleted or disabled, or did not prove possession of its key.
    package static let deviceAuthenticationFailed = "device_authentication_failed"
}
