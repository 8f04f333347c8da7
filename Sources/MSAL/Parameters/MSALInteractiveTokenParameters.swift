// SPDX-License-Identifier: Apache-2.0

/// The parameters of `acquireToken`.
#if canImport(ObjectiveC)
    @objc(MSALInteractiveTokenParameters) @objcMembers
#endif
open class MSALInteractiveTokenParameters: MSALTokenParameters {
    /// The prompt that the user gets.
    open var promptType: MSALPromptType = .default
    /// A user name to prefill.
    open var loginHint: String?
    /// The domain of the user's organisation, as a hint (INT-12).
    open var domainHint: String?
    /// Additional permissions that the user is asked to consent to now. The request for the token does not include
    /// them.
    open var extraScopesToConsent: [String]?
    /// The authentication method that the user prefers (INT-12).
    open var preferredAuthMethod: MSALPreferredAuthMethod = .none
    private let presentation: MSALWebviewParameters

    /// Requests `scopes`; `webviewParameters` are copied.
    public init(scopes: [String], webviewParameters: MSALWebviewParameters) {
        presentation = webviewParameters.duplicate()
        super.init(scopes: scopes)
    }

    /// Requests `scopes` without web parameters, as versions before 2.0 allowed.
    @available(*, deprecated, message: "Use init(scopes:webviewParameters:).")
    public override convenience init(scopes: [String]) {
        self.init(scopes: scopes, webviewParameters: .presentingNothing())
    }

    /// The copy of the web parameters.
    open var webviewParameters: MSALWebviewParameters { presentation }
}
