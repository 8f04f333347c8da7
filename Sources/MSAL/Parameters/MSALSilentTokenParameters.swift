// SPDX-License-Identifier: Apache-2.0

/// The parameters of `acquireTokenSilent`.
#if canImport(ObjectiveC)
    @objc(MSALSilentTokenParameters) @objcMembers
#endif
open class MSALSilentTokenParameters: MSALTokenParameters {
    /// Whether to bypass every cached token (SIL-7).
    open var forceRefresh = false
    /// Whether to use a refresh token of the app if the broker fails (SIL-5).
    ///
    /// Apps hold no refresh token here, so the value has no effect.
    open var allowUsingLocalCachedRtWhenSsoExtFailed = true

    /// Requests `scopes` for `account`.
    public init(scopes: [String], account: MSALAccount) {
        super.init(scopes: scopes)
        self.account = account
    }
}
