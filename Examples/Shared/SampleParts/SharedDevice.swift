// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
package import Workers

/// The worker who, according to MSAL, is signed in on the device, and the worker's profile in Graph.
///
/// All blocks of MSAL run on the main queue, and each `answer` is called inside its block. A change of worker counts as
/// handled when the block returns, so an app that erases in `answer` has erased by then.
@MainActor package final class SharedDevice {
    private let application: MSALPublicClientApplication
    private let graph: Graph
    private let scopes: [String]
    private var account: MSALAccount?

    package init(_ configuration: Configuration) throws {
        application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: configuration.clientId, redirectUri: configuration.redirectUri,
                authority: try MSALAADAuthority(url: configuration.authority)))
        graph = Graph(configuration)
        scopes = configuration.scopes
    }

    /// Asks whether workers share this device. `reason` is the broker's reason for the mode; nil if the broker gives
    /// none.
    package func mode(_ answer: @escaping @MainActor (Result<(isShared: Bool, reason: String?), Problem>) -> Void) {
        application.getDeviceInformation(with: onMain(MSALParameters())) { information, error in
            MainActor.assumeIsolated {
                guard let information else { return answer(.failure(Problem(error))) }
                let reason = information.extraDeviceInformation["baton_device_mode_reason"] as? String
                answer(.success((information.deviceMode == .shared, reason)))
            }
        }
    }

    /// Asks who is signed in, and which worker this app knew before.
    package func check(
        _ answer: @escaping @MainActor (Result<(current: Worker?, previous: String?), Problem>) -> Void
    ) {
        application.getCurrentAccount(with: onMain(MSALParameters())) { [weak self] current, previous, error in
            MainActor.assumeIsolated {
                if let error { return answer(.failure(Problem(error))) }
                self?.account = current
                answer(.success((current.flatMap(Worker.init), previous?.identifier)))
            }
        }
    }

    /// Has the broker open a sign-in page. The answer is nil if a worker signed in.
    package func signIn(
        hint: String? = nil, isNew: Bool = false, _ answer: @escaping @MainActor (Problem?) -> Void
    ) {
        let webview = MSALWebviewParameters(authPresentationViewController: self)
        let parameters = onMain(MSALInteractiveTokenParameters(scopes: scopes, webviewParameters: webview))
        parameters.loginHint = hint
        parameters.promptType = isNew ? .create : .selectAccount
        application.acquireToken(with: parameters) { result, error in
            MainActor.assumeIsolated { answer(result == nil ? Problem(error) : nil) }
        }
    }

    /// Signs the worker out of the device. The answer is nil if MSAL reports success.
    package func signOut(_ answer: @escaping @MainActor (Problem?) -> Void) {
        guard let account else { return answer(Self.nobody) }
        let webview = MSALWebviewParameters(authPresentationViewController: self)
        let parameters = onMain(MSALSignoutParameters(webviewParameters: webview))
        parameters.signoutFromBrowser = true
        application.signout(with: account, signoutParameters: parameters) { isDone, error in
            MainActor.assumeIsolated { answer(isDone ? nil : Problem(error)) }
        }
    }

    /// Gets a token without asking the worker, and uses the token to get the worker's profile. The token is not stored.
    package func profile(_ answer: @escaping @MainActor (Result<Profile, Problem>) -> Void) {
        guard let account else { return answer(.failure(Self.nobody)) }
        let parameters = onMain(MSALSilentTokenParameters(scopes: scopes, account: account))
        application.acquireTokenSilent(with: parameters) { [graph] result, error in
            guard let result else { return MainActor.assumeIsolated { answer(.failure(Problem(error))) } }
            DispatchQueue.global().async {
                let outcome = Result { () throws(Problem) in try graph.me(authorization: result.authorizationHeader) }
                DispatchQueue.main.async { MainActor.assumeIsolated { answer(outcome) } }
            }
        }
    }

    /// Drops the account object unless it belongs to `owner`.
    package func forget(keeping owner: String?) {
        if account?.identifier != owner { account = nil }
    }

    /// Calls `changed` on the main queue at each notice of MSAL that another worker may be signed in. The notice comes
    /// on any thread.
    package static func observeChanges(_ changed: @escaping @MainActor () -> Void) {
        _ = NotificationCenter.default.addObserver(
            forName: Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED"), object: nil, queue: nil
        ) { _ in DispatchQueue.main.async { MainActor.assumeIsolated { changed() } } }
    }

    private func onMain<Parameters: MSALParameters>(_ parameters: Parameters) -> Parameters {
        parameters.completionBlockQueue = .main
        return parameters
    }

    private static let nobody = Problem(code: "nobody", message: "Nobody is signed in. Use sign-in.")
}
