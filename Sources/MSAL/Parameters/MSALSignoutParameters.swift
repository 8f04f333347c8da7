// SPDX-License-Identifier: Apache-2.0

/// The parameters of `signout`.
#if canImport(ObjectiveC)
    @objc(MSALSignoutParameters) @objcMembers
#endif
open class MSALSignoutParameters: MSALParameters {
    /// Whether to end the identity platform's session in the browser as well (OUT-11).
    ///
    /// Every sign-out ends that session, so the value has no further effect. If it is true, web parameters are required
    /// (OUT-3). No window opens in the app.
    open var signoutFromBrowser = false
    /// Whether to delete all data of this account, for all apps (OUT-6).
    ///
    /// Every sign-out deletes this data, so the value has no effect.
    open var wipeAccount = false
    /// Whether to delete all data of every account (OUT-7).
    ///
    /// The signed-in worker's account is the only one, so the value has no effect.
    open var wipeCacheForAllAccounts = false
    /// Parameters for the identity platform's sign-out page (OUT-11).
    ///
    /// They are sent to the broker, which opens no such page.
    open var extraQueryParameters: [String: String]?
    /// The web parameters, if given.
    let presentation: MSALWebviewParameters?

    /// Signs out with `webviewParameters`, which are copied.
    public init(webviewParameters: MSALWebviewParameters) {
        presentation = webviewParameters.duplicate()
        super.init()
    }

    /// Signs out without web parameters. Web parameters are needed only if ``signoutFromBrowser`` is set (OUT-3).
    public override init() {
        presentation = nil
        super.init()
    }

    /// The copy of the web parameters; if none were given, parameters without a presenting object.
    open var webviewParameters: MSALWebviewParameters { presentation ?? .presentingNothing() }
}
