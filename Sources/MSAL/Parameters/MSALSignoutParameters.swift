// SPDX-License-Identifier: Apache-2.0

/// What `signout` takes.
open class MSALSignoutParameters: MSALParameters {
    /// Whether the browser's session ends, too.
    ///
    /// The broker sees to it; no window opens in the app.
    open var signoutFromBrowser = false
    /// The web parameters, where they were given.
    let presentation: MSALWebviewParameters?

    /// Signs out with `webviewParameters`, which are copied.
    public init(webviewParameters: MSALWebviewParameters) { presentation = webviewParameters.duplicate() }

    /// Signs out without web parameters, which suffices unless ``signoutFromBrowser`` is set.
    public override init() { presentation = nil }

    /// The copy that was taken; where none was given, parameters that present on nothing.
    open var webviewParameters: MSALWebviewParameters {
        presentation ?? MSALWebviewParameters(authPresentationViewController: self)
    }
}
