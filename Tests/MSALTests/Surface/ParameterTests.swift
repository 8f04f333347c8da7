// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import Testing

/// The parameters of calls: their defaults, their copies, and dumps without personal data.
struct ParameterTests {
    private let webview = MSALWebviewParameters(authPresentationViewController: NSObject())

    @Test func `every parameter that an initialiser does not set starts with Microsoft's default`() {
        #expect(MSALParameters().completionBlockQueue == nil)
        let token = MSALTokenParameters(scopes: ["User.Read"])
        #expect(token.scopes == ["User.Read"])
        #expect(token.account == nil && token.authority == nil && token.claimsRequest == nil)
        #expect(token.extraQueryParameters == nil && token.correlationId == nil)
        #expect(token.authenticationScheme?.scheme == .bearer)
        #expect(token.authenticationScheme?.authenticationScheme == "Bearer")
        let interactive = MSALInteractiveTokenParameters(scopes: [], webviewParameters: webview)
        #expect(interactive.promptType == .promptIfNecessary && interactive.preferredAuthMethod == .none)
        #expect(interactive.loginHint == nil && interactive.domainHint == nil)
        #expect(interactive.extraScopesToConsent == nil)
        let signout = MSALSignoutParameters(webviewParameters: webview)
        #expect(!signout.signoutFromBrowser && !signout.wipeAccount && !signout.wipeCacheForAllAccounts)
        #expect(signout.extraQueryParameters == nil)
        #expect(!webview.prefersEphemeralWebBrowserSession && webview.webviewType == .default)
    }

    @Test func `a silent request has an account, and may use whatever the broker has`() async throws {
        let account = try await Answers.result().account
        let silent = MSALSilentTokenParameters(scopes: ["User.Read"], account: account)
        #expect(silent.account == account && silent.scopes == ["User.Read"])
        #expect(!silent.forceRefresh && silent.allowUsingLocalCachedRtWhenSsoExtFailed)
    }

    @Test func `INT-1 OUT-2 web parameters are copied on entry`() {
        webview.prefersEphemeralWebBrowserSession = true
        let interactive = MSALInteractiveTokenParameters(scopes: [], webviewParameters: webview)
        let signout = MSALSignoutParameters(webviewParameters: webview)
        webview.prefersEphemeralWebBrowserSession = false
        for copy in [interactive.webviewParameters, signout.webviewParameters] {
            let isCopy = copy !== webview
            let presentsAlike = copy.parentViewController === webview.parentViewController
            #expect(isCopy && presentsAlike)
            #expect(copy.prefersEphemeralWebBrowserSession)
        }
        let isStable = interactive.webviewParameters === interactive.webviewParameters
        #expect(isStable)
    }

    @Test func `OUT-3 sign-out parameters without web parameters still return some`() {
        #expect(!MSALSignoutParameters().webviewParameters.prefersEphemeralWebBrowserSession)
    }

    @Test func `ENUM-7 ENUM-8 an enumeration keeps its initial values, and asks for signed-in accounts`() {
        let all = MSALAccountEnumerationParameters()
        #expect(all.identifier == nil && all.username == nil && all.tenantProfileIdentifier == nil)
        let byIdentifier = MSALAccountEnumerationParameters(identifier: "a.b")
        #expect(byIdentifier.identifier == "a.b" && byIdentifier.username == nil)
        let byName = MSALAccountEnumerationParameters(identifier: nil, username: "amara")
        #expect(byName.identifier == nil && byName.username == "amara")
        let byProfile = MSALAccountEnumerationParameters(tenantProfileIdentifier: "p")
        #expect(byProfile.tenantProfileIdentifier == "p" && byProfile.identifier == nil)
        for parameters in [all, byIdentifier, byName, byProfile] { #expect(parameters.returnOnlySignedInAccounts) }
    }

    @Test func `a dump of parameters contains no name`() {
        let interactive = MSALInteractiveTokenParameters(scopes: [], webviewParameters: webview)
        interactive.loginHint = "amara@baton.test"
        let enumeration = MSALAccountEnumerationParameters(identifier: nil, username: "amara@baton.test")
        var text = ""
        dump(interactive, to: &text)
        dump(enumeration, to: &text)
        #expect(!text.contains("amara"))
    }
}
