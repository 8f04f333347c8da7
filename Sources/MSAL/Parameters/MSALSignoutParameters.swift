// SPDX-License-Identifier: Apache-2.0

/// What `signout` takes.
#if canImport(ObjectiveC)
    @objc(MSALSignoutParameters) @objcMembers
#endif
open class MSALSignoutParameters: MSALParameters {
    /// Whether the identity platform's session in the browser ends, too (OUT-11).
    ///
    /// The broker sees to it; no window opens in the app.
    open var signoutFromBrowser = false
    /// Whether everything of this account goes, whichever app it belongs to (OUT-6).
    open var wipeAccount = false
    /// Whether everything of every account goes (OUT-7).
    open var wipeCacheForAllAccounts = false
    /// Parameters for the identity platform's sign-out page (OUT-11).
    open var extraQueryParameters: [String: String]?
    /// The web parameters, where they were given.
    let presentation: MSALWebviewParameters?

    /// Signs out with `webviewParameters`, which are copied.
    public init(webviewParameters: MSALWebviewParameters) {
        presentation = webviewParameters.duplicate()
        super.init()
    }

    /// Signs out without web parameters, which suffices unless ``signoutFromBrowser`` is set (OUT-3).
    public override init() {
        presentation = nil
        super.init()
    }

    /// The copy that was taken; where none was given, parameters that present on nothing.
    open var webviewParameters: MSALWebviewParameters { presentation ?? .presentingNothing() }
}
