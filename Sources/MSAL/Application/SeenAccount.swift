// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The accounts that one application object has shown its app.
///
/// The broker reports a change of worker to each client id until the client has acknowledged it. If several objects or
/// processes have the same client id, one of them acknowledges the change, and the broker does not report it to the
/// others any more. Until its app has been told that an account has left, each object therefore remembers the accounts
/// that it has shown (CUR-8).
final class SeenAccount: Sendable {
    private struct State {
        /// The accounts that were shown since the app was told of the last change, and the accounts that have left
        /// without the app having been told so yet; oldest first.
        var accounts: [String] = []
        /// A change that was passed to the app, which may still be handling it.
        var handed: AccountChange?
        /// The accounts shown since that change was passed to the app.
        var next: [String] = []
    }

    private let state = Mutex(State())

    /// The number of accounts that are remembered; the oldest are dropped first.
    private static let maximum = 16

    private static func add(_ identifier: String, to accounts: inout [String]) {
        guard accounts.last != identifier else { return }
        accounts.append(identifier)
        accounts.removeFirst(max(0, accounts.count - maximum))
    }

    /// Records that this object shows the app this account, for example with a token.
    func show(_ account: MSALAccount?) {
        guard let identifier = account?.identifier else { return }
        state.withLock { state in
            if state.handed == nil {
                Self.add(identifier, to: &state.accounts)
            } else {
                Self.add(identifier, to: &state.next)
            }
        }
    }

    /// Returns `answer` with the previous account added if the broker has left it out. If the broker reports no change
    /// although this object has shown an account that is no longer the current one, that account becomes the previous
    /// account. This also applies if another worker was signed in between two sessions of the current one.
    func completed(_ answer: AccountChange, environment: String) -> AccountChange {
        let current = answer.current?.identifier
        let seen = state.withLock { $0.accounts.first { $0 != current } }
        guard let seen, !answer.isChange else { return answer }
        let previous = MSALAccount(identifier: seen, username: nil, environment: environment)
        guard previous != answer.current else { return answer }
        return AccountChange(current: answer.current, previous: previous, epoch: answer.epoch, isReported: false)
    }

    /// Records that an answer is passed to the app.
    func hand(_ answer: AccountChange) {
        guard answer.isChange else { return show(answer.current) }
        state.withLock { $0.handed = answer }
    }

    /// Records that the app has handled the change that was passed to it: its block has returned, or it asks again.
    func settle() {
        state.withLock { state in
            guard let handed = state.handed else { return }
            var accounts = state.accounts.filter { $0 != handed.previous?.identifier }
            for shown in [handed.current?.identifier].compactMap(\.self) + state.next { Self.add(shown, to: &accounts) }
            state = State(accounts: accounts)
        }
    }
}
