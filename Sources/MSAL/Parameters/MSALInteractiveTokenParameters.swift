// SPDX-License-Identifier: Apache-2.0

/// What `acquireToken` takes.
open class MSALInteractiveTokenParameters: MSALTokenParameters {
    /// What the person is asked.
    open var promptType: MSALPromptType = .default
    /// A user name to start with.
    open var loginHint: String?
    private let presentation: MSALWebviewParameters

    /// Asks for `scopes`; `webviewParameters` are copied.
    public init(scopes: [String], webviewParameters: MSALWebviewParameters) {
        presentation = webviewParameters.duplicate()
        super.init(scopes: scopes)
    }

    /// The copy that was taken.
    open var webviewParameters: MSALWebviewParameters { presentation }
}
