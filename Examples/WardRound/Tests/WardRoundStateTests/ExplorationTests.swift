// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import WardRoundState
import Workers

/// Checks the app's rule in every order of events.
@Suite struct ExplorationTests {
    private static let workers = [Worker(id: "a", username: "amara"), Worker(id: "b", username: "bo")]
    private static let trouble = Problem(code: "trouble", message: "Trouble.")

    /// Events that may come at any time, including late answers about either worker.
    private static let anyTime: [WardRoundModel.Event] =
        [
            .returned, .notified, .signInChosen, .signedIn, .signOutChosen, .signedOut, .failed(trouble),
            .eraseFailed(trouble), .noteEntered(note(of: "a")), .left, .draftChanged(isEmpty: false),
        ]
        + workers.flatMap { worker -> [WardRoundModel.Event] in
            [
                .notes([note(of: worker.id)], owner: worker.id),
                .profile(Profile(displayName: worker.id, jobTitle: nil, mail: nil), owner: worker.id),
            ]
        }

    /// The answers to a check.
    private static let answers: [WardRoundModel.Event] =
        [.account(nil), .accountUnknown(trouble)] + workers.map { .account($0) }

    private static func note(of owner: String) -> Note { Note(owner, written: Date(timeIntervalSince1970: 0)) }

    /// The app, whether a check runs, and the worker whom the newest check named.
    private struct State {
        var model = WardRoundModel()
        var isChecking = false
        var newest: Worker?
    }

    @Test func `whatever the order of events, only data of the worker whom the newest check named is shown`() throws {
        var state = State()
        #expect(step(&state, .opened))
        var visited = 0
        try explore(state, depth: 5, &visited)
        #expect(visited > 100_000)
    }

    private func explore(_ state: State, depth: Int, _ visited: inout Int) throws {
        visited += 1
        guard depth > 0 else { return }
        for event in Self.anyTime + (state.isChecking ? Self.answers : []) {
            var next = state
            // A failure ends the exploration with the event that led to it.
            try #require(step(&next, event), "\(event) in \(state.model.screen)")
            try explore(next, depth: depth - 1, &visited)
        }
    }

    /// Passes an event to the model.
    ///
    /// - Returns: whether the rule holds after it.
    private func step(_ state: inout State, _ event: WardRoundModel.Event) -> Bool {
        let actions = state.model.handle(event)
        if Self.answers.contains(event) { state.isChecking = false }
        if case .account(let worker) = event {
            state.newest = worker
            guard actions.first == .erase(keeping: worker?.id) else { return false }
        }
        if case .accountUnknown = event { state.newest = nil }
        for action in actions where action == .checkAccount {
            guard !state.isChecking else { return false }
            state.isChecking = true
        }
        guard case .worker(let data, _) = state.model.screen else { return true }
        return !state.isChecking && data.worker == state.newest
            && data.profile.map { $0.displayName == data.worker.id } ?? true
    }
}
