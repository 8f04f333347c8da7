// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import JSON
internal import SessionIPC

/// Signs the worker's browser in at the identity platform: while a worker is signed in with the server, it creates
/// headers for each navigation to an address that the profile lists.
struct BrowserSignOnService: Sendable {
    let session: CurrentSession
    let access: AppAccess
    let source: BrowserHeaderSource
    let tokens: TokenService
    let signOuts: SignOutNotifier

    // MARK: - Operations

    /// Answers the browser, or an app that the profile allows, with the headers for an address.
    func cookies(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        let wanted = try SSOCookiesRequest(call.parameters)
        let app = try asking(call)
        guard app == .browser || session.device.singleSignOn.cookieApps.contains(app.bundleID) else {
            throw BrokerError(
                .unauthorizedClient,
                "The profile does not let this app ask for a browser's headers. Name it in AppCookieSSOAllowList.",
                reason: .cookiesUnlisted)
        }
        let address = try source.listed(wanted.url)
        let worker = try source.worker(wanted.homeAccountID)
        return .later { [self] in
            AppResponse(
                type: .ssoCookies, entries: try await source.headers(for: address, of: worker, wanted.headers).entries)
        }
    }

    /// Answers with the addresses for which the browser's extension must ask for headers.
    func addresses(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        try ClientRequest.checkVersion(call.parameters)
        try checkBrowser(call)
        var entries = FlatMap([
            Key.browserAddresses: JSONWriter.text(.array(try source.rule().addresses.map(JSONValue.string)))
        ])
        entries.set(.removesPrompts, flag: session.device.singleSignOn.removesPrompts)
        return AppResponse(entries: entries)
    }

    /// Answers a message from the browser's extension. Messages and answers have the format of Microsoft's browser
    /// extension.
    func message(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        let message = try BrowserNativeMessage(call.parameters)
        try checkBrowser(call)
        switch message {
        case .headers(let sender, let uri):
            // A page must not learn another site's credential, so the requesting page's own address must also be
            // listed.
            _ = try source.listed(sender)
            let (address, worker) = (try source.listed(uri), try source.worker(nil))
            return .later { [self] in
                AppResponse(browserPayload: try await source.headers(for: address, of: worker, .all).payload)
            }
        case .token(let wanted): return try token(wanted)
        case .signOut(let sender, let account, let correlationID):
            _ = try source.listed(sender)
            return try signOuts.signOut(call, inBrowserAs: account, correlationID: correlationID)
        case .supportedContracts:
            let contracts = BrowserNativeMessage.contracts.joined(separator: ",")
            return .now(AppResponse(browserPayload: .object(["contracts": .string(contracts)])))
        }
    }

    // MARK: - The caller

    /// The app that sent the request; the browser if the request names no client.
    private func asking(_ call: AppRequest) throws(BrokerError) -> RegisteredApp {
        let clientID = call.parameters[.clientID] ?? ""
        return try access.app(
            ClientRequest(clientID: clientID.isEmpty ? RegisteredApp.browser.clientID : clientID), in: call)
    }

    private func checkBrowser(_ call: AppRequest) throws(BrokerError) {
        try access.app(ClientRequest(clientID: RegisteredApp.browser.clientID), in: call)
    }

    // MARK: - A page's token

    /// Answers with a token for a page's own client. The page could also get this token without the broker, and the
    /// identity platform sends it only to one of the page's own addresses.
    private func token(_ wanted: BrowserTokenRequest) throws(BrokerError) -> AppAnswer {
        guard let sender = try? SSOAddress(wanted.sender), let target = try? SSOAddress(wanted.redirectURI),
            sender.origin == target.origin
        else {
            throw BrokerError(
                .invalidRedirectURI,
                "The redirect URI is not an https address of the requesting page. Use such an address.")
        }
        let worker = try source.worker(wanted.homeAccountID)
        let request = wanted.tokenRequest
        guard request.means(worker.account) else {
            throw BrokerError(
                .interactionRequired, "The account is not the one signed in on this device. Ask for the current one.",
                reason: .otherAccount)
        }
        let tenant = try AuthorityRule(join: session.join()).tenant(of: wanted.authority)
        return .later { [self] in
            let token = try await tokens.token(for: request, tenant: tenant, of: worker)
            return AppResponse(
                browserPayload: BrowserTokenResponse(token: token, account: worker.account, state: wanted.state)
                    .payload)
        }
    }
}

extension AppResponse {
    fileprivate init(browserPayload: JSONValue) {
        self.init(type: .browserNativeMessage, entries: .payload(browserPayload))
    }
}
