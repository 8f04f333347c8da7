// SPDX-License-Identifier: Apache-2.0
import Testing
import WorkerState
import Workers

/// Checks the app's rule in every order of events up to a certain length.
@Suite struct ExplorationTests {
    private static let workers = [Worker(id: "a", username: "amara"), Worker(id: "b", username: "bo")]
    private static let trouble = Problem(code: "trouble", message: "Trouble.")
    private static let commands: [Command] = [.signIn(hint: nil), .me, .note("text"), .show, .signOut]

    /// The app, the worker whom the newest check named, and what is under way.
    private struct State {
        var model = WorkerModel()
        var isChecking = false
        var newest: String?
        /// For each turn in which a profile was fetched, the owner of that profile.
        var fetches: [Int: String] = [:]
        /// Whether a sign-in or a sign-out is under way.
        var isMoving = false

        var events: [WorkerModel.Event] {
            [.returned, .notified, .left] + ExplorationTests.commands.map { .command($0) }
                + (isMoving ? [.signedIn, .signedOut, .failed(ExplorationTests.trouble)] : [])
                + (isChecking
                    ? [.account(current: nil, previous: nil), .accountUnknown(ExplorationTests.trouble)]
                        + ExplorationTests.workers.map { .account(current: $0, previous: nil) }
                    : [])
                + fetches.sorted { $0.key < $1.key }.map { turn, owner in
                    .profile(Profile(displayName: owner, jobTitle: nil, mail: nil), turn: turn)
                }
        }

        /// Passes an event to the model and carries its actions out, each as the app does.
        ///
        /// - Returns: the first action that breaks the rule; nil if none does.
        mutating func handle(_ event: WorkerModel.Event) -> WorkerModel.Action? {
            switch event {
            case .account(let current, _): (isChecking, newest) = (false, current?.id)
            case .accountUnknown, .left:
                if event != .left { isChecking = false }
                newest = nil
            case .signedIn, .signedOut, .failed: isMoving = false
            default: break
            }
            var events = [event]
            while !events.isEmpty {
                for action in model.handle(events.removeFirst()) {
                    guard isAllowed(action) else { return action }
                    switch action {
                    case .checkAccount: isChecking = true
                    case .signIn, .signOut: isMoving = true
                    case .fetchProfile(let turn): fetches[turn] = newest
                    case .writeNote(_, let owner), .readNote(let owner): events.append(.note(owner))
                    case .askDevice, .erase, .clearScreen, .say, .quit: break
                    }
                }
            }
            return nil
        }

        private func isAllowed(_ action: WorkerModel.Action) -> Bool {
            switch action {
            case .checkAccount: !isChecking
            case .writeNote(_, let owner), .readNote(let owner): owner == newest
            case .fetchProfile, .signOut: newest != nil
            case .say(let report):
                ["id", "displayName", "note", "current"].compactMap { report.fields[$0] }.allSatisfy { $0 == newest }
            case .askDevice, .signIn, .erase, .clearScreen, .quit: true
            }
        }
    }

    @Test func `whatever the order of events, only data of the worker whom the newest check named is shown or kept`()
        throws
    {
        var state = State()
        #expect(state.handle(.launched) == nil)
        var (found, front) = (Set(["\(state)"]), [state])
        for _ in 0..<5 {
            var next: [State] = []
            for state in front {
                for event in state.events {
                    var after = state
                    // A failure ends the exploration with the event that led to it.
                    let forbidden = after.handle(event)
                    try #require(forbidden == nil, "\(event) leads to \(String(describing: forbidden)) from \(state)")
                    if found.insert("\(after)").inserted { next.append(after) }
                }
            }
            front = next
        }
        print("exploration of the app for the terminal: \(found.count) states")
        #expect(found.count > 10_000)
    }
}
