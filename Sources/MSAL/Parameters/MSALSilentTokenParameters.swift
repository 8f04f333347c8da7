// SPDX-License-Identifier: Apache-2.0

/// What `acquireTokenSilent` takes.
#if canImport(ObjectiveC)
    @objc(MSALSilentTokenParameters) @objcMembers
#endif
open class MSALSilentTokenParameters: MSALTokenParameters {
    /// Whether to pass by every cached token (SIL-7).
    open var forceRefresh = false
    /// Whether a refresh token of the app may serve where the broker fails (SIL-5).
    ///
    /// Apps hold no refresh token here, so that both values mean the same.
    open var allowUsingLocalCachedRtWhenSsoExtFailed = true

    /// Asks for `scopes` of `account`.
    public init(scopes: [String], account: MSALAccount) {
        super.init(scopes: scopes)
        self.account = account
    }
}
