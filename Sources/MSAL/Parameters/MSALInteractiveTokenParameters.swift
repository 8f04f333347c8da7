// SPDX-License-Identifier: Apache-2.0

/// What `acquireToken` takes.
#if canImport(ObjectiveC)
    @objc(MSALInteractiveTokenParameters) @objcMembers
#endif
open class MSALInteractiveTokenParameters: MSALTokenParameters {
    /// What the person is asked.
    open var promptType: MSALPromptType = .default
    /// A user name to start with.
    open var loginHint: String?
    /// The domain of the person's organisation, to start with (INT-12).
    open var domainHint: String?
    /// Permissions that the person is asked to consent to now and that no token is wanted for yet.
    open var extraScopesToConsent: [String]?
    /// How the person would like to prove who they are (INT-12).
    open var preferredAuthMethod: MSALPreferredAuthMethod = .none
    private let presentation: MSALWebviewParameters

    /// Asks for `scopes`; `webviewParameters` are copied.
    public init(scopes: [String], webviewParameters: MSALWebviewParameters) {
        presentation = webviewParameters.duplicate()
        super.init(scopes: scopes)
    }

    /// Asks for `scopes` without web parameters, as versions before 2.0 allowed.
    @available(*, deprecated, message: "Use init(scopes:webviewParameters:).")
    public override convenience init(scopes: [String]) {
        self.init(scopes: scopes, webviewParameters: .presentingNothing())
    }

    /// The copy that was taken.
    open var webviewParameters: MSALWebviewParameters { presentation }
}
