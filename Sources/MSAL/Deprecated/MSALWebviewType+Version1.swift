// SPDX-License-Identifier: Apache-2.0

// Where versions 1.x let an app say what shows its pages. It is always the broker's window, so that there is one value.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALPublicClientApplication {
    /// What shows pages: the broker's window.
    @available(*, deprecated, message: "Use MSALWebviewParameters.webviewType.")
    public var webviewType: MSALWebviewType {
        get { .default }
        set {}
    }

    /// Whether an authority must be known to be one: the broker always sees to that, whatever an app sets here.
    @available(*, deprecated, message: "Use MSALPublicClientApplicationConfig.knownAuthorities.")
    public var validateAuthority: Bool {
        get { true }
        set {}
    }
}

#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALGlobalConfig {
    /// What shows pages: the broker's window.
    @available(*, deprecated, message: "Use MSALWebviewParameters.webviewType.")
    public class var defaultWebviewType: MSALWebviewType {
        get { .default }
        set {}
    }
}

#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALInteractiveTokenParameters {
    /// The app's presenter.
    @available(*, deprecated, renamed: "webviewParameters.parentViewController")
    public var parentViewController: MSALViewController? {
        get { webviewParameters.parentViewController }
        set { if let newValue { webviewParameters.parentViewController = newValue } }
    }

    /// What shows pages: the broker's window.
    @available(*, deprecated, renamed: "webviewParameters.webviewType")
    public var webviewType: MSALWebviewType {
        get { webviewParameters.webviewType }
        set { webviewParameters.webviewType = newValue }
    }
}
