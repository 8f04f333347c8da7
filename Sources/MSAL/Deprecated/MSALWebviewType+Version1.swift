// SPDX-License-Identifier: Apache-2.0

// Versions 1.x let an app choose what shows sign-in pages. Here it is always the broker's window.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALPublicClientApplication {
    /// The view that shows sign-in pages: always the broker's window.
    @available(*, deprecated, message: "Use MSALWebviewParameters.webviewType.")
    public var webviewType: MSALWebviewType {
        get { .default }
        set {}
    }

    /// Whether the authority is validated. The broker always validates it, whatever an app sets here.
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
    /// The view that shows sign-in pages: always the broker's window.
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
    /// The object on which the app presents pages.
    @available(*, deprecated, renamed: "webviewParameters.parentViewController")
    public var parentViewController: MSALViewController? {
        get { webviewParameters.parentViewController }
        set { if let newValue { webviewParameters.parentViewController = newValue } }
    }

    /// The view that shows sign-in pages: always the broker's window.
    @available(*, deprecated, renamed: "webviewParameters.webviewType")
    public var webviewType: MSALWebviewType {
        get { webviewParameters.webviewType }
        set { webviewParameters.webviewType = newValue }
    }
}
