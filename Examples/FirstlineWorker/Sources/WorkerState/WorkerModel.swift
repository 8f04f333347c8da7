// SPDX-License-Identifier: Apache-2.0
package import Workers

/// The app's state and decisions: a pure state machine between the user, MSAL and the note on disk.
///
/// Its one rule: it shows, writes and fetches nothing of a worker before a check has confirmed that this worker is
/// signed in now. It first erases any other worker's data, whatever the change was: a sign-out, a first sign-in, or a
/// switch from one worker to another.
package struct WorkerModel {
    package enum Event: Equatable, Sendable {
        case launched
        /// The process was stopped and runs again (SIGCONT).
        case returned
        /// Another worker may be signed in, or nobody knows who is.
        case notified
        /// The worker has left, and their data is being erased.
        case left
        case command(Command)
        case inputEnded
        case device(mode: String, reason: String?)
        case deviceUnknown(Problem)
        case account(current: Worker?, previous: String?)
        case accountUnknown(Problem)
        case signedIn
        case profile(Profile, turn: Int)
        case profileFailed(Problem, turn: Int)
        case note(String?)
        case noteFailed(Problem)
        case signedOut
        case failed(Problem)
    }

    package enum Action: Equatable {
        case checkAccount
        case askDevice
        case signIn(hint: String?, isNew: Bool)
        case fetchProfile(turn: Int)
        case writeNote(String, owner: String)
        case readNote(owner: String)
        case signOut
        /// Erase all data of workers other than `keeping`: files, screen, objects in memory.
        case erase(keeping: String?)
        case clearScreen
        case say(Report)
        case quit
    }

    private enum Stage {
        case checking, working, confirming
    }

    /// A command, and who entered it.
    private struct Entry {
        enum Author: Equatable {
            case worker(String)
            /// The worker whom the next check names, because nobody was known yet.
            case next
            /// A worker who has left.
            case former
        }

        let command: Command
        var author: Author

        func isFrom(_ worker: Worker) -> Bool { author == .next || author == .worker(worker.id) }
    }

    private var worker: Worker?
    private var profile: Profile?
    private var isShared: Bool?
    private var isChecking = false
    private var mustCheckAgain = false
    private var isAnnouncing = false
    /// The id of the worker who is signing out.
    private var leaving: String?
    /// The number of the current turn. Each check begins a new turn. A profile that was fetched in an earlier turn is
    /// not shown.
    private var turn = 0
    private var waiting: [Entry] = []
    private var running: (entry: Entry, stage: Stage)?

    package init() {}

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .launched: [.askDevice] + check(announcing: true)
        case .returned, .notified: check(announcing: true)
        case .left: left()
        case .command(let command): enqueue(command)
        case .inputEnded: enqueue(.quit)
        case .device(let mode, let reason): device(mode, reason)
        case .deviceUnknown(let problem): deviceUnknown(problem)
        case .account(let current, let previous): account(current, previous: previous)
        case .accountUnknown(let problem): unknown(problem)
        case .signedIn, .signedOut: confirm()
        case .profile(let profile, let turn): show(profile, turn: turn)
        case .profileFailed(let problem, let turn): turn == self.turn ? finish(problem: problem) : []
        case .note(let text): finish(["note": text, "displayName": profile?.displayName, "id": worker?.id])
        case .noteFailed(let problem), .failed(let problem): finish(problem: problem)
        }
    }

    // MARK: Checking who is signed in

    /// Begins a check.
    ///
    /// A profile from an earlier turn is no longer shown. A command that shows something waits for the check.
    private mutating func check(announcing: Bool = false) -> [Action] {
        turn += 1
        isAnnouncing = isAnnouncing || announcing
        if running?.entry.command == .me, running?.stage == .working { running?.stage = .checking }
        if isChecking {
            mustCheckAgain = true
            return []
        }
        isChecking = true
        return [.checkAccount]
    }

    private mutating func account(_ current: Worker?, previous: String?) -> [Action] {
        var actions: [Action] = [.erase(keeping: current?.id)]
        if worker?.id != current?.id {
            if worker != nil { actions.insert(.clearScreen, at: 0) }
            profile = nil
            isAnnouncing = true
        }
        worker = current
        if isAnnouncing {
            let fields = ["current": current?.id, "username": current?.username, "previous": previous]
            actions.append(.say(Report(.event, "account", fields)))
        }
        return actions + checked()
    }

    private mutating func left() -> [Action] {
        let wasShown = worker != nil
        (worker, profile) = (nil, nil)
        for index in waiting.indices { waiting[index].author = .former }
        running?.entry.author = .former
        return (wasShown ? [.clearScreen] : []) + check(announcing: true)
    }

    /// The current account could not be determined: show nothing, but delete nothing either.
    private mutating func unknown(_ problem: Problem) -> [Action] {
        let wasShown = worker != nil
        worker = nil
        profile = nil
        let actions: [Action] = wasShown ? [.clearScreen] : []
        guard let running, running.stage != .working else {
            return actions + [.say(Report(.event, "account", problem: problem))] + checked()
        }
        isChecking = false
        mustCheckAgain = false
        isAnnouncing = false
        return actions + finish(problem: problem)
    }

    private mutating func checked() -> [Action] {
        isChecking = false
        if mustCheckAgain {
            mustCheckAgain = false
            return check()
        }
        isAnnouncing = false
        guard let running else { return next() }
        switch running.stage {
        case .checking: return work(running.entry)
        case .confirming: return confirmed(running.entry.command)
        case .working: return []
        }
    }

    // MARK: Running commands one after the other

    private mutating func enqueue(_ command: Command) -> [Action] {
        waiting.append(Entry(command: command, author: worker.map { .worker($0.id) } ?? .next))
        return running == nil && !isChecking ? next() : []
    }

    private mutating func next() -> [Action] {
        guard !waiting.isEmpty else { return [] }
        let entry = waiting.removeFirst()
        switch entry.command {
        case .device, .quit, .unknown: return work(entry)
        case .signIn, .signUp, .me, .note, .show, .signOut:
            running = (entry, .checking)
            return check()
        }
    }

    private mutating func work(_ entry: Entry) -> [Action] {
        running = (entry, .working)
        switch (entry.command, worker) {
        case (.device, _): return [.askDevice]
        case (.unknown, _): return finish(problem: Self.noCommand)
        case (.quit, _):
            waiting = []
            return finish() + [.quit]
        case (.signIn, let worker?): return finish(["id": worker.id, "username": worker.username])
        case (.signIn(let hint), nil): return [.signIn(hint: hint, isNew: false)]
        case (.signUp, _) where isShared != false: return finish(problem: Self.noSignUp)
        case (.signUp, _): return [.signIn(hint: nil, isNew: true)]
        case (_, nil): return finish(problem: Self.nobody)
        // A note that a former worker wrote does not belong to the next worker, and a former worker cannot sign the
        // next worker out.
        case (.note, let worker?) where !entry.isFrom(worker), (.signOut, let worker?) where !entry.isFrom(worker):
            return finish(problem: Self.otherWorker)
        case (.me, _?): return [.fetchProfile(turn: turn)]
        case (.note(let text), let worker?): return [.writeNote(text, owner: worker.id)]
        case (.show, let worker?): return [.readNote(owner: worker.id)]
        case (.signOut, _?):
            // Nothing of the worker may remain in this model, whatever the broker does.
            profile = nil
            leaving = worker?.id
            return [.signOut, .clearScreen, .erase(keeping: nil)]
        }
    }

    /// MSAL reports success; the result of a new check becomes the answer.
    private mutating func confirm() -> [Action] {
        running?.stage = .confirming
        return check()
    }

    private mutating func confirmed(_ command: Command) -> [Action] {
        guard command == .signOut else {
            guard let worker else { return finish(problem: Self.nobody) }
            return finish(["id": worker.id, "username": worker.username])
        }
        return worker != nil && worker?.id == leaving ? finish(problem: Self.stillThere) : finish()
    }

    private mutating func finish(problem: Problem? = nil, _ fields: [String: String?] = [:]) -> [Action] {
        guard let running else { return [] }
        self.running = nil
        let answer = Action.say(Report(.answer, running.entry.command.name, problem: problem, fields))
        return [answer] + (isChecking ? [] : next())
    }

    private mutating func device(_ mode: String, _ reason: String?) -> [Action] {
        isShared = mode == "shared"
        let fields = ["mode": mode, "reason": reason, "signUp": isShared == true ? "hidden" : "offered"]
        guard running?.entry.command == .device else { return [.say(Report(.event, "device", fields))] }
        return finish(fields)
    }

    /// If the mode is unknown, sign-up is not offered.
    private mutating func deviceUnknown(_ problem: Problem) -> [Action] {
        isShared = nil
        guard running?.entry.command == .device else { return [.say(Report(.event, "device", problem: problem))] }
        return finish(problem: problem)
    }

    private mutating func show(_ profile: Profile, turn: Int) -> [Action] {
        guard turn == self.turn, running?.entry.command == .me else { return [] }
        self.profile = profile
        return finish([
            "displayName": profile.displayName, "jobTitle": profile.jobTitle, "mail": profile.mail, "id": worker?.id,
        ])
    }

    // MARK: Problems

    private static let nobody = Problem(code: "nobody", message: "Nobody is signed in. Use sign-in.")
    private static let otherWorker = Problem(
        code: "other-worker", message: "Another worker is signed in now. Enter it again.")
    private static let stillThere = Problem(
        code: "still-signed-in", message: "The broker still names this worker. Sign out again.")
    private static let noCommand = Problem(
        code: "command", message: "There is no such command, or it lacks its text, or has too much of it.")
    private static let noSignUp = Problem(
        code: "shared-device", message: "Workers do not sign up on a shared device. Use sign-in.")
}
