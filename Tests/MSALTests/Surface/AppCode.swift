// SPDX-License-Identifier: Apache-2.0
import MSAL

// Code of older and newer apps, written against Microsoft's library. It is compiled and never run: a name or a type
// that differs from Microsoft's does not compile.

/// The code of a view controller, in the style of Microsoft's sample of 2022.
private final class SampleController {
    let kClientID = "66855f8a-60cd-445e-a9bb-8cd8eadbd3fa"
    let kRedirectUri = "msauth.com.example.sample://auth"
    let kAuthority = "https://login.microsoftonline.com/common"

    var applicationContext: MSALPublicClientApplication?
    var webViewParameters: MSALWebviewParameters?
    var currentAccount: MSALAccount?
    var currentDeviceMode: MSALDeviceMode?
    var accessToken = String()

    func initMSAL() throws {
        guard let authorityURL = URL(string: kAuthority) else { return }
        let authority = try MSALAADAuthority(url: authorityURL)
        let msalConfiguration = MSALPublicClientApplicationConfig(
            clientId: kClientID, redirectUri: kRedirectUri, authority: authority)
        self.applicationContext = try MSALPublicClientApplication(configuration: msalConfiguration)
        self.webViewParameters = MSALWebviewParameters(authPresentationViewController: self)
        MSALGlobalConfig.loggerConfig.setLogCallback { (logLevel, message, containsPII) in
            if !containsPII { print("\(logLevel.rawValue) \(String(describing: message))") }
        }
    }

    func application(open url: URL, options: [String: Any]) -> Bool {
        MSALPublicClientApplication.handleMSALResponse(url, sourceApplication: options["source"] as? String)
    }

    func refreshDeviceMode() {
        if #available(iOS 13.0, *) {
            self.applicationContext?.getDeviceInformation(
                with: nil,
                completionBlock: { (deviceInformation, error) in
                    guard let deviceInfo = deviceInformation else { return }
                    _ = deviceInfo.deviceMode == .shared
                })
        }
        _ = currentDeviceMode == .shared
    }

    func loadCurrentAccount(completion: (@Sendable (MSALAccount?) -> Void)? = nil) {
        guard let applicationContext = self.applicationContext else { return }
        let msalParameters = MSALParameters()
        msalParameters.completionBlockQueue = DispatchQueue.main
        applicationContext.getCurrentAccount(
            with: msalParameters,
            completionBlock: { (currentAccount, previousAccount, error) in
                if error != nil { return }
                if let currentAccount = currentAccount {
                    completion?(currentAccount)
                    return
                }
                _ = String(describing: previousAccount?.username)
            })
    }

    func acquireTokenInteractively() {
        guard let applicationContext = self.applicationContext else { return }
        guard let webViewParameters = self.webViewParameters else { return }
        let parameters = MSALInteractiveTokenParameters(
            scopes: ["user.read"], webviewParameters: webViewParameters)
        parameters.promptType = .selectAccount
        parameters.loginHint = "someone@example.com"
        applicationContext.acquireToken(with: parameters) { (result, error) in
            if error != nil { return }
            guard let result = result else { return }
            _ = (result.accessToken, result.account.username, result.expiresOn?.timeIntervalSince1970)
        }
    }

    func acquireTokenSilently(_ account: MSALAccount!) {
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: account)
        applicationContext?.acquireTokenSilent(with: parameters) { (result, error) in
            if let error = error {
                let nsError = error as NSError
                if nsError.domain == MSALErrorDomain {
                    if nsError.code == MSALError.interactionRequired.rawValue { return }
                    if (error as NSError?)?.code == MSALError.userCanceled.rawValue { return }
                    _ =
                        nsError.userInfo[MSALInternalErrorCodeKey] as? Int
                        == MSALInternalError.internalErrorInvalidParameter.rawValue
                    _ = nsError.userInfo[MSALDeclinedScopesKey] as? [String]
                }
                return
            }
            _ = result?.authorizationHeader
        }
    }

    func signOut() {
        guard let account = currentAccount, let webViewParameters = webViewParameters else { return }
        let signoutParameters = MSALSignoutParameters(webviewParameters: webViewParameters)
        signoutParameters.signoutFromBrowser = currentDeviceMode == .shared
        applicationContext?.signout(
            with: account, signoutParameters: signoutParameters,
            completionBlock: { (success, error) in
                if let error = error { print(error.localizedDescription) }
            })
    }
}

/// Common code for versions 1.1 to 2.x that is not in the sample.
private func everyday(
    _ application: MSALPublicClientApplication, _ web: MSALWebviewParameters, block: @escaping MSALCompletionBlock
) throws {
    let parameters = MSALInteractiveTokenParameters(scopes: ["user.read"], webviewParameters: web)
    parameters.completionBlockQueue = .main
    parameters.authority = try MSALAADAuthority(
        cloudInstance: .publicCloudInstance, audienceType: .azureADMyOrgOnlyAudience, rawTenant: "contoso.com")
    parameters.claimsRequest = MSALClaimsRequest()
    try parameters.claimsRequest?.requestClaim(MSALIndividualClaimRequest(name: "nickname"), for: .idToken)
    var claimsError: NSError?
    parameters.claimsRequest = unsafe MSALClaimsRequest(jsonString: "{}", error: &claimsError)
    parameters.extraQueryParameters = ["slice": "testslice"]
    parameters.correlationId = UUID()
    parameters.extraScopesToConsent = ["mail.read"]
    parameters.preferredAuthMethod = .QRPIN
    parameters.authenticationScheme = MSALAuthenticationSchemeBearer()
    parameters.webviewParameters.webviewType = .default
    web.prefersEphemeralWebBrowserSession = true

    let enumeration = MSALAccountEnumerationParameters(identifier: nil, username: "someone@example.com")
    enumeration.returnOnlySignedInAccounts = false
    application.accountsFromDevice(for: enumeration) { (accounts, error) in
        for account in accounts ?? [] { _ = account.tenantProfiles?.first?.claims?["name"] as? String }
    }
    let accounts: [MSALAccount] = try application.allAccounts()
    let account: MSALAccount = try application.account(forIdentifier: accounts[0].identifier ?? "")
    try application.remove(account)
    _ = account.homeAccountId?.objectId == account.homeAccountId?.tenantId
    MSALGlobalConfig.brokerAvailability = .auto
    MSALGlobalConfig.loggerConfig.logLevel = .verbose
    MSALGlobalConfig.loggerConfig.logMaskingLevel = .settingsMaskAllPII
    _ = MSALPublicClientApplication.cancelCurrentWebAuthSession()
    let provider: any MSALAccountProtocol = account
    _ = provider.isSSOAccount
    application.getWPJMetaDataDevice(with: nil, forTenantId: nil) { (data, error) in
        _ = data?.extraDeviceInformation[AnyHashable("aadDeviceIdentifier")]
    }
}

/// The `async` forms, called on the main actor. Their results are sent to a detached task.
@MainActor private func asynchronous(
    _ application: MSALPublicClientApplication, _ web: MSALWebviewParameters, _ account: MSALAccount
) async throws {
    let device: MSALDeviceInformation = try await application.deviceInformation(with: nil)
    let (current, previous) = try await application.currentAccount(with: MSALParameters())
    let result = try await application.acquireToken(
        with: MSALInteractiveTokenParameters(scopes: ["user.read"], webviewParameters: web))
    let silent = try await application.acquireTokenSilent(
        with: MSALSilentTokenParameters(scopes: ["user.read"], account: result.account))
    let isDone: Bool = try await application.signout(
        with: account, signoutParameters: MSALSignoutParameters(webviewParameters: web))
    let accounts: [MSALAccount] = try await application.accountsFromDevice(for: MSALAccountEnumerationParameters())
    let data: MSALWPJMetaData = try await application.wpjMetaDataDevice(with: nil, forTenantId: nil)
    let token: MSALDeviceTokenResult = try await application.deviceTokenForSharedDevice(
        withResource: "https://graph.example", scopes: nil)
    await Task.detached { _ = (device, current, previous, result, silent, isDone, accounts, data, token) }.value
}

/// The deprecated calls and names of versions 1.0 and 1.1.
@available(*, deprecated)
private func versionOne(_ application: MSALPublicClientApplication, _ account: MSALAccount) throws {
    _ = try MSALPublicClientApplication(clientId: "client", authority: nil)
    _ = try MSALPublicClientApplication(clientId: "client", authority: nil, redirectUri: "msauth.a://auth")
    _ = try MSALPublicClientApplication(
        clientId: "client", keychainGroup: nil, authority: nil, redirectUri: "msauth.a://auth")
    _ = try application.account(forHomeAccountId: "a.b")
    application.allAccountsFiltered(byAuthority: { (accounts, error) in })
    application.acquireToken(forScopes: ["user.read"]) { (result, error) in
        _ = (result?.tenantId, result?.uniqueId)
    }
    application.acquireToken(forScopes: ["user.read"], loginHint: "a@b") { (result, error) in }
    application.acquireToken(forScopes: ["user.read"], account: account) { (result, error) in }
    application.acquireToken(
        forScopes: ["user.read"], account: account, promptType: .login, extraQueryParameters: nil
    ) { (result, error) in }
    application.acquireTokenSilent(forScopes: ["user.read"], account: account) { (result, error) in }
    application.acquireTokenSilent(forScopes: ["user.read"], account: account, authority: nil) { (result, error) in }
    application.acquireTokenSilent(
        forScopes: ["user.read"], account: account, authority: nil, claimsRequest: nil, forceRefresh: true,
        correlationId: nil
    ) { (result, error) in }
    let parameters = MSALInteractiveTokenParameters(scopes: ["user.read"])
    parameters.parentViewController = application
    parameters.webviewType = .default
    application.validateAuthority = false
    application.webviewType = .default
    MSALGlobalConfig.defaultWebviewType = .default
    _ = MSALWebviewParameters()
    _ = MSALWebviewParameters(parentViewController: application)
    MSALLogger.shared().level = .info
    MSALLogger.shared().setCallback { (level, message, containsPII) in }
    MSALGlobalConfig.loggerConfig.piiEnabled = false
    switch MSALInternalError(rawValue: -42000) {
    case .invalidParameter, .errorInvalidRequest, .brokerNotAvailable: break
    default: break
    }
}
