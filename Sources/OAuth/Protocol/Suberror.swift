// SPDX-License-Identifier: Apache-2.0

/// Values of `suberror` that this product gives or acts upon.
package enum Suberror {
    /// A PRT request names an epoch that this device has already left (Baton's own).
    package static let staleEpoch = "stale_epoch"
    /// The nonce is too old, or of a server that was started again since: fetch another and sign anew (Baton's own).
    package static let staleNonce = "stale_nonce"
    /// The very same request was answered before (Baton's own).
    package static let replayedRequest = "replayed_request"
    /// The token is revoked or was never ours.
    package static let badToken = "bad_token"
    /// The token's life is over.
    package static let tokenExpired = "token_expired"
    /// The device is unknown, deleted or disabled, or it failed to prove its key.
    package static let deviceAuthenticationFailed = "device_authentication_failed"
}
