// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import WebPages

/// The state and the behaviour of the home screen, without I/O.
///
/// Each event returns the actions that follow from it. The screen is a function of this state (``HomeView``).
package struct HomeModel: Sendable, Equatable {
    /// The device's state, as far as it is known.
    package enum Device: Sendable, Equatable {
        case unknown
        /// The broker does not serve its socket.
        case unreachable
        case known(DeviceState)
    }

    package struct Worker: Sendable, Equatable {
        package let name: String
        package let username: String

        package init(name: String, username: String) {
            self.name = name
            self.username = username
        }
    }

    /// Who is signed in. "Nobody" and "could not find out" are different answers.
    package enum Account: Sendable, Equatable {
        case unknown, nobody
        case worker(Worker)
    }

    /// The action that the person has started on this screen and that is not finished.
    package enum Activity: Sendable, Equatable {
        case none, signingIn, cancelling, handingOver
    }

    /// A message that is shown until the person touches something.
    package enum Notice: Sendable, Equatable {
        case notSignedIn
        /// A sign-out takes longer than the broker lets a caller wait.
        case handoverGoesOn
        case accountUnknown
    }

    /// The state of a tile's program.
    package enum TileState: String, Sendable, Equatable {
        case idle, opening, running
        /// There is no such program on the device.
        case missing
        /// The program exited right after its start.
        case endedAtOnce
        case failed
    }

    package enum Event: Sendable, Equatable {
        case device(DeviceState)
        case brokerLost
        case accountChanged
        case account(Account)
        /// An answer about the account named a worker, but a later answer has replaced it.
        case workerRead
        /// The person requested a sign-in; the value is the language of the sign-in page.
        case signInTouched(Language)
        case cancelTouched
        case handoverTouched
        case stillHereTouched
        case tileTouched(Int)
        case signInEnded(isSignedIn: Bool, wasCancelled: Bool)
        case handoverEnded(isDone: Bool)
        case tile(Int, TileState)
    }

    package enum Action: Sendable, Equatable {
        case readAccount, cancelSignIn, signOut, reportActivity
        case signIn(Language)
        case open(tile: Int)
        /// End every program that was opened from a tile.
        case endPrograms
        /// Forget the session that is over: end the window that was open during the session, and discard this process's
        /// memory of it. Programs keep running while apps erase; after that, the process that has started anew ends
        /// them.
        case forget(endingPrograms: Bool)
    }

    /// Distinguishes the sessions of a device.
    private struct SessionMark: Sendable, Equatable {
        let began: Int?
        /// The number of the previous hand-over's receipt.
        let receipt: Int?

        init(of state: DeviceState) { (began, receipt) = (state.session?.began, state.handover?.receipt) }
    }

    package private(set) var device = Device.unknown
    /// The stage of the known state; nil if none is known.
    private var stage: DeviceState.Stage?
    package private(set) var account = Account.unknown
    package private(set) var activity = Activity.none
    package private(set) var notice: Notice?
    package private(set) var tiles: [Int: TileState] = [:]
    /// Whether programs of the last worker may still run. An earlier home screen that was killed may have left some.
    private var hasPrograms = true
    /// The session that this process has seen; nil if it has seen none.
    private var session: SessionMark?
    /// Whether this process has received data of a worker. The data may arrive before this process sees the session, or
    /// after the session's end.
    private var knowsWorker = false
    /// The worker whose account this process has read last; nil if it has read none.
    private var lastWorker: Worker?
    /// The number of the receipt in the last state; nil if there was no state.
    private var receipt: Int??

    package init() {}

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .device(let state): return follow(state)
        case .brokerLost:
            (device, stage, account) = (.unreachable, nil, .unknown)
            return []
        case .accountChanged: return [.readAccount]
        case .account(let account): return take(account)
        case .workerRead: return learn()
        case .signInTouched(let language):
            notice = nil
            guard activity == .none, stage == .ready else { return [] }
            activity = .signingIn
            return [.signIn(language)]
        case .cancelTouched: return cancel()
        case .handoverTouched: return handover()
        case .stillHereTouched: return isSignedIn ? [.reportActivity] : []
        case .tileTouched(let tile):
            notice = nil
            guard isSignedIn, tiles[tile] != .opening else { return [] }
            (tiles[tile], hasPrograms) = (.opening, true)
            return [.open(tile: tile)]
        case .signInEnded(let isSignedIn, let wasCancelled):
            activity = .none
            notice = isSignedIn || wasCancelled ? nil : .notSignedIn
            // The session may already be over. The answer about the account will show whether it is.
            if isSignedIn { knowsWorker = true }
            return [.readAccount]
        case .handoverEnded(let isDone):
            activity = .none
            notice = isDone || stage == .ready ? nil : .handoverGoesOn
            return [.readAccount]
        case .tile(let tile, let state):
            if isSignedIn { tiles[tile] = state }
            return []
        }
    }

    /// The name under which the device joined; nil if that is not known.
    package var deviceName: String? {
        guard case .known(let state) = device else { return nil }
        return state.deviceName
    }

    /// Why no sign-in window can open, as a code; nil if one can, or if that is not known.
    package var obstacle: String? {
        guard case .known(let state) = device else { return nil }
        return state.obstacle
    }

    private var isSignedIn: Bool { stage == .signedIn }

    private mutating func follow(_ state: DeviceState) -> [Action] {
        let former = stage
        (device, stage) = (.known(state), state.stage)
        let ending = followSession(state)
        guard state.stage != former else { return ending }
        return ending + followStage(state.stage)
    }

    /// Decides whether a session that this process knows is over. A session is over once its end is committed. This
    /// process may have missed states in between.
    private mutating func followSession(_ state: DeviceState) -> [Action] {
        let former = session
        switch state.stage {
        case .signedIn: session = SessionMark(of: state)
        case .ending: session = former ?? SessionMark(of: state)
        case .signingOut, .signingIn, .joining, .ready, .quarantined: session = nil
        }
        // A new receipt: a session has ended since the last state.
        let isNewReceipt = receipt != nil && state.handover != nil && receipt != state.handover?.receipt
        receipt = .some(state.handover?.receipt)
        let isMissed =
            former == nil && knowsWorker
            && (isNewReceipt || [.signingOut, .ready, .quarantined].contains(state.stage))
        return isMissed || (former != nil && former != session) ? forget() : []
    }

    /// Takes an answer about the account. The answer may concern a session that is already over and that this process
    /// has not seen.
    private mutating func take(_ account: Account) -> [Action] {
        self.account = account
        switch account {
        case .worker(let worker):
            defer { lastWorker = worker }
            return lastWorker.map { $0.username != worker.username } ?? false ? forget() : learn()
        case .nobody: return knowsWorker && session == nil ? forget() : []
        case .unknown: return []
        }
    }

    /// Records that this process has received data of a worker. If it knows of no session, it reads the account again:
    /// the state that shows the session has not arrived yet, or the session is already over.
    private mutating func learn() -> [Action] {
        guard !knowsWorker else { return [] }
        knowsWorker = true
        return session == nil ? [.readAccount] : []
    }

    private mutating func forget() -> [Action] {
        (knowsWorker, lastWorker) = (false, nil)
        // During a sign-out, apps may erase until the device is ready. Only then does the process that has started anew
        // end the programs.
        return [.forget(endingPrograms: stage != .signingOut)]
    }

    private mutating func followStage(_ stage: DeviceState.Stage) -> [Action] {
        switch stage {
        case .signedIn: return [.readAccount]
        case .ending: return []
        case .ready, .signingIn, .joining, .signingOut, .quarantined:
            // No worker is signed in: the screen shows nothing about a worker, even if an account was read before.
            (account, tiles) = (.nobody, [:])
        }
        if stage == .ready, notice == .handoverGoesOn { notice = nil }
        // Until the device is ready, apps may erase their data. Programs that still run when the device is ready are
        // ended.
        guard stage == .ready, hasPrograms else { return [] }
        hasPrograms = false
        return [.endPrograms]
    }

    private mutating func cancel() -> [Action] {
        guard activity == .signingIn else { return [] }
        activity = .cancelling
        return [.cancelSignIn]
    }

    private mutating func handover() -> [Action] {
        notice = nil
        // A hand-over during a sign-in cancels the sign-in. Nobody is signed in yet, so there is nothing to sign out.
        if activity == .signingIn { return cancel() }
        guard activity == .none, isSignedIn else { return [] }
        activity = .handingOver
        return [.signOut]
    }
}
