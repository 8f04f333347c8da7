// SPDX-License-Identifier: Apache-2.0

/// What `acquireTokenSilent` takes.
open class MSALSilentTokenParameters: MSALTokenParameters {
    /// Whether to pass by every cached token.
    open var forceRefresh = false

    /// Asks for `scopes` of `account`.
    public init(scopes: [String], account: MSALAccount) {
        super.init(scopes: scopes)
        self.account = account
    }
}
