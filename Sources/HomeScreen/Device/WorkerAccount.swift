// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Foundation
internal import MSAL
internal import Processes
internal import WebPages

/// The home screen as an app of the device. It uses the library that every app uses, and the broker's operations.
struct WorkerAccount: Sendable {
    private let application: MSALPublicClientApplication
    private let broker: BrokerExchange
    private let clientID: String

    /// - Parameters:
    ///   - app: the home screen's app registration.
    ///   - socket: the path of the broker's socket, the same path that the library's environment variable names.
    /// - Throws: the library's error if it refuses the registration.
    init(_ app: HomeApp, socket: String) throws {
        application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: app.clientID, redirectUri: app.redirectURI, authority: nil))
        broker = BrokerExchange(socket: socket, name: "baton home", version: BrokerVersion.current)
        clientID = app.clientID
    }

    /// Calls `body` each time the signed-in account may have changed, on any thread.
    func whenChanged(_ body: @escaping @Sendable () -> Void) {
        let name = Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED")
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in body() }
    }

    func current() async -> HomeModel.Account {
        do {
            guard let account = try await signedIn() else { return .nobody }
            let name = account.accountClaims?["name"] as? String
            let username = account.username ?? ""
            return .worker(HomeModel.Worker(name: name ?? username, username: username))
        } catch { return .unknown }
    }

    /// The account that is signed in.
    ///
    /// Unlike the answer to `currentAccount`, this answer does not name the previous account, whose id would stay in
    /// the memory of this process. The process has started anew to forget that id.
    private func signedIn() async throws -> MSALAccount? {
        try await application.accountsFromDevice(for: MSALAccountEnumerationParameters()).first
    }

    /// Signs a worker in, on the page that the broker opens. Returns when the page is closed.
    ///
    /// - Parameters:
    ///   - language: the language of the page.
    ///   - domainHint: the domain of most workers' accounts; nil if it is not known.
    func signIn(in language: Language, domainHint: String?) async -> HomeModel.Event {
        let parameters = MSALInteractiveTokenParameters(
            scopes: ["User.Read"],
            webviewParameters: MSALWebviewParameters(authPresentationViewController: Presenter()))
        parameters.extraQueryParameters = ["ui_locales": language.rawValue]
        parameters.domainHint = domainHint
        do {
            _ = try await application.acquireToken(with: parameters)
            return .signInEnded(isSignedIn: true, wasCancelled: false)
        } catch {
            let failure = error as NSError
            // A worker who signs in without the server gets an error instead of a token.
            let reason = failure.userInfo[BatonReasonKey] as? String
            return .signInEnded(
                isSignedIn: reason == BrokerError.Reason.signedInOffline.rawValue,
                wasCancelled: MSALError(rawValue: failure.code) == .userCanceled)
        }
    }

    func cancelSignIn() { _ = MSALPublicClientApplication.cancelCurrentWebAuthSession() }

    /// Signs the worker out of every app. Returns when the device is ready, or after ten seconds.
    ///
    /// - Returns: whether the device is ready.
    func signOut() async -> Bool {
        do {
            guard let account = try await signedIn() else { return true }
            let parameters = MSALSignoutParameters(
                webviewParameters: MSALWebviewParameters(authPresentationViewController: Presenter()))
            return try await application.signout(with: account, signoutParameters: parameters)
        } catch { return false }
    }

    /// Reports to the broker that the worker is active.
    func reportActivity() async {
        // The broker refuses the report only when nobody is signed in, and then there is no session to prolong.
        _ = try? await blocking { try broker.ask(.activity, FlatMap([Key.clientID: clientID])) }
    }

    /// Opens a page in the worker's browser. Returns when the browser shows the page or cannot show it, after 20
    /// seconds at the latest.
    ///
    /// - Returns: whether the page is shown.
    func open(page: String) async -> Bool {
        let outcome = try? await blocking { try broker.openPage(page) }
        guard case .success? = outcome else { return false }
        return true
    }

    /// The library requires an object to present on; the broker opens the page itself.
    private final class Presenter {}
}

/// The app registration of the home screen.
package struct HomeApp: Sendable {
    let clientID: String
    let redirectURI: String

    package init(clientID: String, redirectURI: String) {
        (self.clientID, self.redirectURI) = (clientID, redirectURI)
    }
}
