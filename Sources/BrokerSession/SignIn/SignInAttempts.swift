// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceKeyStore
internal import Processes
internal import SessionIPC
internal import Synchronization
internal import UnixSocket

/// One person's use of the browser for a sign-in, a join or a PIN, from the request to its end.
struct SignInAttempt: Sendable {
    let requestID: UInt64
    /// Asks the supervisor to open a loopback address in a browser, which may then show these pages of the platform,
    /// and no others.
    let open: @Sendable (String, [String]) throws -> Void
    /// The supervisor's permission to begin, with the epoch and the key.
    let admission = Promise<(Epoch, MemoryKey)>()
    /// Settles when the sign-in is in the journal.
    let confirmation = Promise<Void>()
    /// The user whose agent opens the browser. The supervisor reports this user.
    let browserOwner = Promise<UInt32>()
    /// Settles with an error if the person closed the browser, the app gave up, or the time is over.
    let interruption = Promise<Void>()

    /// Runs `body`, and interrupts the attempt when the time is over. A page that was left open must not keep the next
    /// worker waiting forever.
    func inTime<Value: Sendable>(
        _ patience: Duration = .seconds(600), _ body: () async throws -> Value
    ) async throws -> Value {
        let deadline = Task {
            try await Task.sleep(for: patience)
            interruption.settle(
                .failure(
                    BrokerError(
                        .userCanceled,
                        "Nobody completed the sign-in page within \(patience.components.seconds) seconds.")))
        }
        defer { deadline.cancel() }
        return try await body()
    }

    /// Interrupts the attempt because the app gave up its request.
    func giveUp() {
        interruption.settle(.failure(BrokerError(.programCanceled, "The app cancelled the sign-in.")))
    }
}

/// Holds the current attempt, at most one at a time, and passes the supervisor's messages to that attempt.
final class SignInAttempts: Sendable {
    private struct State {
        var current: SignInAttempt?
        var count: UInt64 = 0
    }

    private let supervisor: SupervisorLink
    private let state = Mutex(State())

    init(supervisor: SupervisorLink) { self.supervisor = supervisor }

    /// Begins an attempt.
    ///
    /// - Throws: ``BrokerError`` if another attempt has not ended.
    func begin() throws(BrokerError) -> SignInAttempt {
        let attempt: SignInAttempt? = state.withLock { state in
            guard state.current == nil else { return nil }
            state.count += 1
            let attempt = SignInAttempt(requestID: state.count) { [supervisor] url, pages in
                try supervisor.send(.browserWanted(url: url, pages: pages))
            }
            state.current = attempt
            return attempt
        }
        guard let attempt else {
            throw BrokerError(
                .interactionRunning,
                "Somebody is signing in on this device already. Wait until that sign-in has ended.")
        }
        return attempt
    }

    /// Ends an attempt and its page, so that the next attempt may begin. May be called again.
    func end(_ attempt: SignInAttempt) {
        state.withLock { state in
            guard state.current?.requestID == attempt.requestID else { return }
            state.current = nil
            // Sent under the lock, so that it does not end the page of the next attempt.
            supervisor.tell(.pageOver)
        }
    }

    private func attempt(_ requestID: UInt64) -> SignInAttempt? {
        state.withLock { state in state.current.flatMap { $0.requestID == requestID ? $0 : nil } }
    }

    // MARK: - Messages from the supervisor

    /// - Parameter key: the session key's memory file.
    func admit(_ requestID: UInt64, epoch: Epoch, key: Descriptor?) {
        guard let attempt = attempt(requestID) else { return }
        attempt.admission.settle(
            Result {
                guard let key else { throw SessionProcessError.noKey }
                return (epoch, try MemoryKey(handedOver: key))
            })
    }

    func refuse(_ requestID: UInt64, because refusal: SignInRefusal) {
        attempt(requestID)?.admission.settle(.failure(refusal.error))
    }

    func confirm(_ requestID: UInt64) { attempt(requestID)?.confirmation.settle(.success(())) }

    func browserOpens(for user: UInt32) { state.withLock(\.current)?.browserOwner.settle(.success(user)) }

    func browserEnded(_ end: BrowserEnd) { state.withLock(\.current)?.interruption.settle(.failure(end.error)) }
}

extension SignInRefusal {
    fileprivate var error: BrokerError {
        switch self {
        case .occupied: .otherWorker
        case .anotherSignIn:
            BrokerError(
                .interactionRunning,
                "Somebody is signing in on this device already. Wait until that sign-in has ended.")
        case .agentMissing:
            BrokerError(
                .internal, "The last worker's browser cannot be cleared without baton-agent. Start it, then sign in.")
        }
    }
}

extension BrowserEnd {
    fileprivate var error: BrokerError {
        switch self {
        case .closedByPerson: BrokerError(.userCanceled, "The person closed the browser.")
        case .couldNotOpen:
            BrokerError(
                .noWindow, "The browser could not be opened. Check browser.command of baton-agent.",
                reason: .browserUnavailable)
        case .notConfined:
            BrokerError(
                .noWindow,
                "The machine cannot confine a browser. Install bubblewrap, and allow unprivileged user namespaces (sysctl "
                    + "kernel.unprivileged_userns_clone).", reason: .browserNotConfined)
        case .policyUnknown:
            BrokerError(
                .noWindow,
                "The installed browser does not know a policy on which Baton relies. The log of baton-agent names it.",
                reason: .browserPolicyUnknown)
        case .broke:
            BrokerError(
                .noWindow,
                "The browser ended with an error before anybody had signed in. Check that baton-agent has a screen (DISPLAY or "
                    + "WAYLAND_DISPLAY), and browser.command.", reason: .browserBroke)
        case .programBroke: BrokerError(.noWindow, because: .programBroke)
        case .agentMissing:
            BrokerError(
                .noWindow, "No baton-agent runs in the graphical session. Start it there.", reason: .agentMissing)
        }
    }
}

extension BrokerError {
    /// The answer to an app that names a worker other than the one who is signed in.
    static let otherWorker = BrokerError(
        .mismatchedAccount, "Another worker is signed in on this device. Sign out first.", reason: .otherAccount)

    /// The kernel does not report which user connects, so no page can be restricted to the worker's browser.
    static func browserNotKnown(_ error: LoopbackPeerError) -> BrokerError {
        BrokerError(
            .noWindow,
            "The kernel does not report which user connects to the sign-in page (sock_diag, errno \(error.errno)). "
                + "Allow batond AF_NETLINK sockets.", reason: .browserUnavailable)
    }
}
