// SPDX-License-Identifier: Apache-2.0
import Foundation
import Handover
import MSAL
package import Workers

/// The worker who, according to MSAL, is signed in on the device, and the worker's profile in Graph.
///
/// All blocks of MSAL run on the main queue, and so does each `answer`. The eraser erases a worker's data whenever the
/// broker asks, even if MSAL counts the change as handled.
@MainActor package final class SharedDevice {
    private let application: MSALPublicClientApplication
    private let graph: Graph
    private let scopes: [String]
    private let handover: Handover
    private var worker = NamedWorker<MSALAccount, UnknownReason>()
    private var following: Task<Void, Never>?
    private var changed: @MainActor () -> Void = {}
    /// The blocks to call at the next change, before `changed`.
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

    /// Follows the changes of worker. Calls `changed` at each change, and also when it is no longer known who is signed
    /// in. Register the erasers before you call this.
    package func follow(_ changed: @escaping @MainActor () -> Void) throws {
        self.changed = changed
        let changes = try handover.changes(for: "app")
        following = Task { [weak self] in
            for await change in changes { self?.note(change) }
        }
    }

    isolated deinit { close() }

    /// Stops taking part in the hand-over, so that another object of this process can take part.
    package func close() {
        following?.cancel()
        handover.close()
    }

    private func note(_ change: WorkerChange) {
        let isTold = worker.note(.init(change), hasPrevious: change.previous != nil)
        let resumed = waiting
        waiting = []
        for resume in resumed { resume() }
        if isTold { changed() }
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

    /// Registers the block that erases this app's data of a worker who has left. If the app was closed when the worker
    /// left, the block runs at the app's next start.
    package func erase(_ name: String, _ erase: @escaping @MainActor () throws -> Void) throws {
        try handover.eraser(name) { _ in try await MainActor.run { try erase() } }
    }

    /// Whether a worker has typed something that is not saved yet. While this is true, the end of their session waits.
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
        let asked = worker.changes
        application.getCurrentAccount(with: onMain(MSALParameters())) { [weak self] current, previous, error in
            MainActor.assumeIsolated {
                guard let self else { return }
                if let error {
                    self.worker.notePrevious(previous, of: current)
                    let problem = Problem(error)
                    // The app is locked while its eraser is at work.
                    guard problem.code != "erase" || !self.worker.isUndecided else {
                        return self.waiting.append { [weak self] in self?.check(answer) }
                    }
                    return answer(.failure(problem))
                }
                switch self.worker.answer(current, previous: previous, asked: asked) {
                case .give(let worker, let previous):
                    answer(.success((worker.flatMap(Worker.init), previous?.identifier)))
                case .askAgain: self.check(answer)
                case .wait: self.waiting.append { [weak self] in self?.check(answer) }
                case .fail(let reason): answer(.failure(Problem(reason.error)))
                }
            }
        }
    }

    /// Makes the broker open a sign-in page. The answer is nil if a worker signed in.
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
        guard let account = worker.current else { return answer(Self.nobody) }
        let webview = MSALWebviewParameters(authPresentationViewController: self)
        let parameters = onMain(MSALSignoutParameters(webviewParameters: webview))
        parameters.signoutFromBrowser = true
        application.signout(with: account, signoutParameters: parameters) { isDone, error in
            MainActor.assumeIsolated { answer(isDone ? nil : Problem(error)) }
        }
    }

    /// Gets a token without asking the worker, and uses the token to get the worker's profile. The token is not stored.
    package func profile(_ answer: @escaping @MainActor (Result<Profile, Problem>) -> Void) {
        guard let account = worker.current else { return answer(.failure(Self.nobody)) }
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
        worker.forget { $0.identifier == owner }
    }

    private func onMain<Parameters: MSALParameters>(_ parameters: Parameters) -> Parameters {
        parameters.completionBlockQueue = .main
        return parameters
    }

    private static let nobody = Problem(code: "nobody", message: "Nobody is signed in. Use sign-in.")
}

extension NamedWorker<MSALAccount, UnknownReason>.Change {
    fileprivate init(_ change: WorkerChange) {
        self =
            switch change.kind {
            case .signedIn(let account), .switched(from: _, to: let account): .worker(account)
            case .signedOut: .nobody
            case .unknown(let reason): .unknown(reason.isPassing ? nil : reason)
            }
    }
}
