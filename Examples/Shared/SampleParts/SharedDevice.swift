// SPDX-License-Identifier: Apache-2.0
import Foundation
import Handover
import MSAL
package import Workers

/// The worker who, according to MSAL, is signed in on the device, and the worker's profile in Graph.
///
/// All blocks of MSAL run on the main queue, and so does each `answer`. The eraser erases a worker's
/// data whenever the broker asks, whatever MSAL counts as handled.
@MainActor package final class SharedDevice {
    private let application: MSALPublicClientApplication
    private let graph: Graph
    private let scopes: [String]
    private let handover: Handover
    private var account: MSALAccount?
    /// The worker whom this app knew before, if no check has named them yet.
    private var previous: MSALAccount?
    /// The last change of worker that the hand-over has told.
    private var change: WorkerChange?
    private var changeCount = 0
    private var following: Task<Void, Never>?
    private var changed: @MainActor () -> Void = {}
    /// Called at the next change, before `changed`.
    private var waiting: [@MainActor () -> Void] = []

    package init(_ configuration: Configuration) throws {
        application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: configuration.clientId, redirectUri: configuration.redirectUri,
                authority: try MSALAADAuthority(url: configuration.authority)))
        handover = try Handover(application)
        graph = Graph(configuration)
        scopes = configuration.scopes
    }

    /// Follows the changes of worker, and calls `changed` at each: also when nobody knows any more who is signed in. The
    /// erasers must be registered before.
    package func follow(_ changed: @escaping @MainActor () -> Void) throws {
        self.changed = changed
        let changes = try handover.changes(for: "app")
        following = Task { [weak self] in
            for await change in changes { self?.note(change) }
        }
    }

    isolated deinit { following?.cancel() }

    private func note(_ change: WorkerChange) {
        (self.change, changeCount) = (change, changeCount + 1)
        let resumed = waiting
        waiting = []
        for resume in resumed { resume() }
        // At the start, the first change only says that nobody is signed in.
        if change.kind != .signedOut(previous: nil) || account != nil { changed() }
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

    /// Registers the block that erases this app's data of a worker who has left, also if the app was closed meanwhile.
    package func erase(_ name: String, _ erase: @escaping @MainActor () throws -> Void) throws {
        try handover.eraser(name) { _ in try await MainActor.run { try erase() } }
    }

    /// Whether a worker has typed something that is not kept yet. While they have, the end of their session waits.
    package var hasUnsavedWork: Bool {
        get { handover.hasUnsavedWork }
        set {
            handover.isActive()
            handover.hasUnsavedWork = newValue
        }
    }

    /// Asks who is signed in, and which worker this app knew before. A worker is named only once the hand-over has named
    /// them, because the next sign-out then waits until this app has erased its data.
    package func check(
        _ answer: @escaping @MainActor (Result<(current: Worker?, previous: String?), Problem>) -> Void
    ) {
        let count = changeCount
        application.getCurrentAccount(with: onMain(MSALParameters())) { [weak self] current, previous, error in
            MainActor.assumeIsolated {
                guard let self else { return }
                // MSAL names the worker who has left once; after that, both accounts are equal.
                if previous != current { self.previous = previous ?? self.previous }
                if let error { return answer(.failure(Problem(error))) }
                self.settle(current, askedAfter: count, answer)
            }
        }
    }

    /// Answers a check once the hand-over has named this worker, too, or cannot; until then, asks again at each change.
    private func settle(
        _ current: MSALAccount?, askedAfter count: Int,
        _ answer: @escaping @MainActor (Result<(current: Worker?, previous: String?), Problem>) -> Void
    ) {
        if current == nil || change?.current == current {
            let previous = previous
            (account, self.previous) = (current, nil)
            answer(.success((current.flatMap(Worker.init), previous?.identifier)))
        } else if changeCount != count {
            check(answer)
        } else if case .unknown(let reason) = change?.kind, !reason.isPassing {
            answer(.failure(Problem(reason.error)))
        } else {
            waiting.append { [weak self] in self?.check(answer) }
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

    private func onMain<Parameters: MSALParameters>(_ parameters: Parameters) -> Parameters {
        parameters.completionBlockQueue = .main
        return parameters
    }

    private static let nobody = Problem(code: "nobody", message: "Nobody is signed in. Use sign-in.")
}
