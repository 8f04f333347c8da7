// SPDX-License-Identifier: Apache-2.0

// The token methods of versions 1.x, which took each parameter separately.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALPublicClientApplication {
    /// Signs a worker in.
    @available(*, deprecated, message: "Use acquireToken(with:completionBlock:).")
    @preconcurrency
    public func acquireToken(
        forScopes scopes: [String], completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        acquireToken(with: Self.interactive(scopes), completionBlock: completionBlock)
    }

    /// Signs a worker in; `loginHint` suggests a user name.
    @available(*, deprecated, message: "Use acquireToken(with:completionBlock:).")
    @preconcurrency
    public func acquireToken(
        forScopes scopes: [String], loginHint: String?,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let parameters = Self.interactive(scopes)
        parameters.loginHint = loginHint
        acquireToken(with: parameters, completionBlock: completionBlock)
    }

    /// Signs a worker in; `account` suggests the account.
    @available(*, deprecated, message: "Use acquireToken(with:completionBlock:).")
    @preconcurrency
    public func acquireToken(
        forScopes scopes: [String], account: MSALAccount?,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let parameters = Self.interactive(scopes)
        parameters.account = account
        acquireToken(with: parameters, completionBlock: completionBlock)
    }

    /// Signs a worker in; `account` suggests the account and `promptType` selects the prompt.
    @available(*, deprecated, message: "Use acquireToken(with:completionBlock:).")
    @preconcurrency
    public func acquireToken(
        forScopes scopes: [String], account: MSALAccount?, promptType: MSALPromptType,
        extraQueryParameters: [String: String]?,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let parameters = Self.interactive(scopes)
        parameters.account = account
        parameters.promptType = promptType
        parameters.extraQueryParameters = extraQueryParameters
        acquireToken(with: parameters, completionBlock: completionBlock)
    }

    /// Gets a token for the signed-in worker.
    @available(*, deprecated, message: "Use acquireTokenSilent(with:completionBlock:).")
    @preconcurrency
    public func acquireTokenSilent(
        forScopes scopes: [String], account: MSALAccount,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        acquireTokenSilent(
            with: MSALSilentTokenParameters(scopes: scopes, account: account), completionBlock: completionBlock)
    }

    /// Gets a token for the signed-in worker from `authority`.
    @available(*, deprecated, message: "Use acquireTokenSilent(with:completionBlock:).")
    @preconcurrency
    public func acquireTokenSilent(
        forScopes scopes: [String], account: MSALAccount, authority: MSALAuthority?,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let parameters = MSALSilentTokenParameters(scopes: scopes, account: account)
        parameters.authority = authority
        acquireTokenSilent(with: parameters, completionBlock: completionBlock)
    }

    /// Gets a token for the signed-in worker from `authority`, with further parameters.
    @available(*, deprecated, message: "Use acquireTokenSilent(with:completionBlock:).")
    @preconcurrency
    public func acquireTokenSilent(
        forScopes scopes: [String], account: MSALAccount, authority: MSALAuthority?, claimsRequest: MSALClaimsRequest?,
        forceRefresh: Bool, correlationId: UUID?,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let parameters = MSALSilentTokenParameters(scopes: scopes, account: account)
        parameters.authority = authority
        parameters.claimsRequest = claimsRequest
        parameters.forceRefresh = forceRefresh
        parameters.correlationId = correlationId
        acquireTokenSilent(with: parameters, completionBlock: completionBlock)
    }

    private static func interactive(_ scopes: [String]) -> MSALInteractiveTokenParameters {
        MSALInteractiveTokenParameters(scopes: scopes, webviewParameters: .presentingNothing())
    }
}
