// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The account that one application object has shown its app.
///
/// The broker reports a change of worker to each client id until the client has acknowledged it. If several objects or
/// processes have the same client id, one of them acknowledges the change, and the broker does not report it to the
/// others any more. Until its app has been told that the account has left, each object therefore remembers the account
/// that it has shown (CUR-8).
final class SeenAccount: Sendable {
    private struct State {
        /// The first account shown since the app was told of the last change.
        var account: String?
        /// A change that was passed to the app, which may still be handling it.
        var handed: AccountChange?
        /// The first account shown since that change was passed to the app.
        var next: String?
    }

    private let state = Mutex(State())

    /// Records that this object shows the app this account, for example with a token.
    func show(_ account: MSALAccount?) {
        guard let identifier = account?.identifier else { return }
        state.withLock { state in
            if state.handed == nil {
                state.account = state.account ?? identifier
            } else {
                state.next = state.next ?? identifier
            }
        }
    }

    /// Returns `answer` with the previous account added if the broker has left it out. If the broker reports no change
    /// although the account that this object has shown is no longer the current one, that account becomes the previous
    /// account.
    func completed(_ answer: AccountChange, environment: String) -> AccountChange {
        let seen = state.withLock(\.account)
        guard let seen, seen != answer.current?.identifier, !answer.isChange else { return answer }
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
            state = State(account: state.next ?? handed.current?.identifier)
        }
    }
}
