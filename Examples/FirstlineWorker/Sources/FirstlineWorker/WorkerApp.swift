// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import WorkerState

/// Performs the actions of ``WorkerModel`` on the main queue, with MSAL, Graph, files and the terminal.
@MainActor final class WorkerApp {
    private let configuration: Configuration
    private let application: MSALPublicClientApplication
    private let graph: Graph
    private let notes: Notes
    private let terminal: Terminal
    private var model = WorkerModel()
    private var account: MSALAccount?
    private var events: [WorkerModel.Event] = []
    private var isBusy = false

    init(_ configuration: Configuration, terminal: Terminal) throws {
        self.configuration = configuration
        self.terminal = terminal
        application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: configuration.clientId, redirectUri: configuration.redirectUri,
                authority: try MSALAADAuthority(url: configuration.authority)))
        graph = Graph(
            endpoint: configuration.graphEndpoint, caFile: configuration.caFile, resolve: configuration.resolve)
        notes = Notes(dataFolder: configuration.dataFolder)
    }

    /// Queues an event. Passes all queued events to the model in order and performs the actions that it returns, unless
    /// an earlier call of this method is still doing so.
    func handle(_ event: WorkerModel.Event) {
        events.append(event)
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        while !events.isEmpty {
            for action in model.handle(events.removeFirst()) { perform(action) }
        }
    }

    private func perform(_ action: WorkerModel.Action) {
        switch action {
        case .checkAccount: checkAccount()
        case .askDevice: askDevice()
        case .signIn(let hint, let isNew): signIn(hint: hint, isNew: isNew)
        case .fetchProfile(let turn): fetchProfile(turn: turn)
        case .writeNote(let text, let owner):
            keep { () throws(Problem) in
                try notes.write(text, owner: owner)
                return text
            }
        case .readNote(let owner): keep { () throws(Problem) in try notes.read(owner: owner) }
        case .signOut: signOut()
        case .erase(let owner): erase(keeping: owner)
        case .clearScreen: terminal.clear()
        case .say(let report): terminal.show(report)
        case .quit: exit(0)
        }
    }

    private func keep(_ body: () throws(Problem) -> String?) {
        do throws(Problem) { handle(.note(try body())) } catch { handle(.noteFailed(error)) }
    }

    private func erase(keeping owner: String?) {
        if account?.identifier != owner { account = nil }
        do throws(Problem) { try notes.erase(keeping: owner) } catch {
            terminal.show(Report(.event, "erase", problem: error))
        }
    }

    // MARK: MSAL. All its blocks run on the main queue.

    private func askDevice() {
        application.getDeviceInformation(with: onMain(MSALParameters())) { [weak self] information, error in
            MainActor.assumeIsolated {
                guard let information else { return self?.handle(.deviceUnknown(Problem(error))) ?? () }
                self?.handle(
                    .device(
                        mode: information.deviceMode == .shared ? "shared" : "personal",
                        reason: information.extraDeviceInformation["baton_device_mode_reason"] as? String))
            }
        }
    }

    /// The change counts as handled when the block returns. By then all of the former worker's data is erased.
    private func checkAccount() {
        application.getCurrentAccount(with: onMain(MSALParameters())) { [weak self] current, previous, error in
            MainActor.assumeIsolated {
                if let error { return self?.handle(.accountUnknown(Problem(error))) ?? () }
                self?.account = current
                self?.handle(.account(current: current.flatMap(Worker.init), previous: previous?.identifier))
            }
        }
    }

    private func signIn(hint: String?, isNew: Bool) {
        let webview = MSALWebviewParameters(authPresentationViewController: self)
        let parameters = onMain(
            MSALInteractiveTokenParameters(scopes: configuration.scopes, webviewParameters: webview))
        parameters.loginHint = hint
        parameters.promptType = isNew ? .create : .selectAccount
        application.acquireToken(with: parameters) { [weak self] result, error in
            MainActor.assumeIsolated { self?.handle(result == nil ? .failed(Problem(error)) : .signedIn) }
        }
    }

    private func fetchProfile(turn: Int) {
        guard let account else {
            return handle(.profileFailed(Self.nobody, turn: turn))
        }
        let parameters = onMain(MSALSilentTokenParameters(scopes: configuration.scopes, account: account))
        application.acquireTokenSilent(with: parameters) { [weak self, graph] result, error in
            guard let result else {
                return MainActor.assumeIsolated { self?.handle(.profileFailed(Problem(error), turn: turn)) ?? () }
            }
            DispatchQueue.global().async { [weak self] in
                let outcome = Result { () throws(Problem) in try graph.me(authorization: result.authorizationHeader) }
                DispatchQueue.main.async {
                    MainActor.assumeIsolated {
                        switch outcome {
                        case .success(let profile): self?.handle(.profile(profile, turn: turn))
                        case .failure(let problem): self?.handle(.profileFailed(problem, turn: turn))
                        }
                    }
                }
            }
        }
    }

    private func signOut() {
        guard let account else { return handle(.failed(Self.nobody)) }
        let webview = MSALWebviewParameters(authPresentationViewController: self)
        let parameters = onMain(MSALSignoutParameters(webviewParameters: webview))
        parameters.signoutFromBrowser = true
        application.signout(with: account, signoutParameters: parameters) { [weak self] isDone, error in
            MainActor.assumeIsolated { self?.handle(isDone ? .signedOut : .failed(Problem(error))) }
        }
    }

    private static let nobody = Problem(code: "nobody", message: "Nobody is signed in. Use sign-in.")

    private func onMain<Parameters: MSALParameters>(_ parameters: Parameters) -> Parameters {
        parameters.completionBlockQueue = .main
        return parameters
    }
}

extension Worker {
    init?(_ account: MSALAccount) {
        guard let id = account.identifier else { return nil }
        self.init(id: id, username: account.username ?? "")
    }
}

extension Problem {
    /// Converts an error of MSAL.
    init(_ error: (any Error)?) {
        guard let error = error as NSError?, error.domain == MSALErrorDomain else {
            self.init(code: "unknown", message: "Something went wrong outside of MSAL.")
            return
        }
        let text = error.userInfo[MSALErrorDescriptionKey] as? String ?? "MSAL gave no reason."
        switch MSALError(rawValue: error.code) {
        case .interactionRequired: self.init(code: "interaction-required", message: "\(text) Use sign-in.")
        case .userCanceled: self.init(code: "canceled", message: text)
        default:
            let detail = error.userInfo[MSALInternalErrorCodeKey] as? Int
            self.init(code: "msal\(error.code)" + (detail.map { "/\($0)" } ?? ""), message: text)
        }
    }
}
