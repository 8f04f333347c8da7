// SPDX-License-Identifier: Apache-2.0
package import Workers

/// The app's state and decisions, without MSAL, files or a window.
///
/// Its one rule: it shows and holds data of a worker only if the newest check has said that this worker is signed in.
/// While a check runs it shows nobody's data. Before it shows anything of another worker, all data of the former worker
/// is erased, whatever the change was: a sign-out, a first sign-in, or a switch from one worker to another.
package struct WardRoundModel {
    package enum Event: Equatable, Sendable {
        case opened
        /// The window has become active, or the worker wants the app to check again.
        case returned
        /// Another worker may be signed in, or nobody knows who is.
        case notified
        /// The worker has left, and their data is being erased.
        case left
        case device(isShared: Bool)
        case account(Worker?)
        case accountUnknown(Problem)
        case eraseFailed(Problem)
        case signInChosen
        case signedIn
        case signOutChosen
        case signedOut
        /// A sign-in or a sign-out failed.
        case failed(Problem)
        case profile(Profile, owner: String)
        case profileFailed(Problem, owner: String)
        case notes([Note], owner: String)
        case notesFailed(Problem, owner: String)
        case noteEntered(Note)
        /// Whether the worker has typed something that is not a note yet.
        case draftChanged(isEmpty: Bool)
    }

    package enum Action: Equatable, Sendable {
        case askDevice
        case checkAccount
        /// Erase all data of workers other than `keeping`.
        case erase(keeping: String?)
        case readNotes(owner: String)
        case writeNotes([Note], owner: String)
        case fetchProfile(owner: String)
        case reportUnsaved(Bool)
        case signIn
        case signOut
    }

    private enum Step { case signingIn, signingOut }

    private var data: WorkerData?
    /// Why nothing can be shown.
    private var obstacle: Problem?
    /// What the worker should know about their last action.
    private var notice: Problem?
    private var step: Step?
    /// The id of the worker who is signing out.
    private var leaving: String?
    /// An unknown device is treated as a shared device.
    private var isShared = true
    private var isChecking = true
    /// Whether the app is waiting to learn who is signed in now, because the worker whom it knew has left.
    private var hasLeft = false
    private var mustCheckAgain = false

    package init() {}

    /// What the window shows now.
    package var screen: Screen {
        if isChecking { return hasLeft ? .signingOut : .checking }
        if let obstacle { return .closed(obstacle) }
        if step == .signingOut { return .signingOut }
        if let data { return .worker(data, notice: notice) }
        return step == .signingIn ? .signingIn : .nobody(isShared: isShared, notice: notice)
    }

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .opened: return [.askDevice, .checkAccount]
        case .returned, .notified: return check()
        case .left:
            (data, notice, hasLeft) = (nil, nil, true)
            return check()
        case .device(let isShared): self.isShared = isShared
        case .account(let worker): return account(worker)
        case .accountUnknown(let problem): return unknown(problem)
        case .eraseFailed(let problem): (data, obstacle) = (nil, problem)
        case .signInChosen: return signIn()
        case .signOutChosen: return signOut()
        case .signedIn, .signedOut: return finish(nil)
        case .failed(let problem): return finish(problem)
        case .profile(let profile, let owner): change(owner) { $0.profile = profile }
        case .profileFailed(let problem, let owner), .notesFailed(let problem, let owner):
            if data?.worker.id == owner { notice = problem }
        case .notes(let notes, let owner): change(owner) { $0.notes = notes }
        case .noteEntered(let note): return add(note)
        case .draftChanged(let isEmpty): return [.reportUnsaved(!isEmpty)]
        }
        return []
    }

    // MARK: Checking who is signed in

    private mutating func check() -> [Action] {
        guard !isChecking else {
            mustCheckAgain = true
            return []
        }
        isChecking = true
        return [.checkAccount]
    }

    private mutating func account(_ worker: Worker?) -> [Action] {
        obstacle = nil
        if data?.worker.id != worker?.id {
            data = nil
            if worker == nil || worker?.id != leaving { notice = nil }
        }
        return [.erase(keeping: worker?.id)] + checked(worker)
    }

    /// Nobody's data is shown, and none is removed from the disk: the worker may still be signed in.
    private mutating func unknown(_ problem: Problem) -> [Action] {
        (data, obstacle) = (nil, problem)
        return checked(nil)
    }

    private mutating func checked(_ worker: Worker?) -> [Action] {
        (isChecking, hasLeft) = (false, false)
        guard !mustCheckAgain else {
            mustCheckAgain = false
            return check()
        }
        guard step != .signingOut else { return [] }
        if let leaving, worker?.id == leaving { notice = notice ?? Self.stillThere }
        leaving = nil
        guard let worker, data == nil else { return [] }
        data = WorkerData(worker)
        return [.readNotes(owner: worker.id), .fetchProfile(owner: worker.id)]
    }

    // MARK: The worker's actions

    private mutating func signIn() -> [Action] {
        guard case .nobody = screen else { return [] }
        (step, notice) = (.signingIn, nil)
        return [.signIn]
    }

    /// The app erases at once, because nothing of the worker may remain, whatever the broker does.
    private mutating func signOut() -> [Action] {
        guard case .worker(let data, _) = screen else { return [] }
        (step, notice, leaving, self.data) = (.signingOut, nil, data.worker.id, nil)
        return [.signOut, .erase(keeping: nil)]
    }

    /// A sign-in or a sign-out has ended. Only a check says who is signed in now.
    private mutating func finish(_ problem: Problem?) -> [Action] {
        (step, notice) = (nil, problem)
        return check()
    }

    private mutating func add(_ note: Note) -> [Action] {
        guard case .worker(let data, _) = screen, data.hasRoom, !note.text.isEmpty else { return [] }
        let notes = (data.notes ?? []) + [note]
        notice = nil
        self.data?.notes = notes
        return [.writeNotes(notes, owner: data.worker.id)]
    }

    /// Changes the data of `owner`. Late answers about another worker change nothing.
    private mutating func change(_ owner: String, _ body: (inout WorkerData) -> Void) {
        guard var data, data.worker.id == owner else { return }
        body(&data)
        self.data = data
    }

    private static let stillThere = Problem(code: "still-signed-in", message: "The broker still names this worker.")
}
