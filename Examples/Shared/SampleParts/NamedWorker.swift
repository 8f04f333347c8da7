// SPDX-License-Identifier: Apache-2.0

/// The worker whom MSAL and the hand-over both name.
///
/// MSAL answers at once who is signed in. The hand-over names a worker once the next sign-out waits until the app has
/// erased its data, so the app is given nobody whom the hand-over has not named.
package struct NamedWorker<Account: Equatable, Obstacle> {
    /// What the hand-over has said last.
    package enum Change {
        case worker(Account)
        case nobody
        /// Nobody knows who is signed in. The obstacle is nil if that may be over in a moment.
        case unknown(Obstacle?)
    }

    /// What becomes of MSAL's answer.
    package enum Step {
        /// The app is given this worker, and the one whom it knew before, if it is not told of them yet.
        case give(Account?, previous: Account?)
        /// MSAL is asked again now.
        case askAgain
        /// MSAL is asked again after the next change.
        case wait
        case fail(Obstacle)
    }

    /// The worker whom the app was given.
    package private(set) var current: Account?
    /// The worker whom the app knew before, if it is not told of them yet.
    private var previous: Account?
    private var change: Change?
    /// How many changes the hand-over has told.
    package private(set) var changes = 0

    package init() {}

    /// Notes what the hand-over has told.
    ///
    /// - Returns: whether the app is told: at the start, the first change only says that nobody is signed in.
    package mutating func note(_ change: Change, hasPrevious: Bool) -> Bool {
        (self.change, changes) = (change, changes + 1)
        guard case .nobody = change, !hasPrevious else { return true }
        return current != nil
    }

    /// Handles an answer of MSAL.
    ///
    /// - Parameter asked: the number of ``changes`` when MSAL was asked.
    package mutating func answer(_ worker: Account?, previous: Account?, asked: Int) -> Step {
        notePrevious(previous, of: worker)
        if worker == nil || worker == named {
            defer { self.previous = nil }
            current = worker
            return .give(worker, previous: self.previous)
        }
        guard changes == asked else { return .askAgain }
        if case .unknown(let obstacle?) = change { return .fail(obstacle) }
        return .wait
    }

    /// MSAL names the worker who has left once; after that, both accounts are equal.
    package mutating func notePrevious(_ previous: Account?, of worker: Account?) {
        if previous != worker { self.previous = previous ?? self.previous }
    }

    private var named: Account? {
        guard case .worker(let account) = change else { return nil }
        return account
    }

    /// Drops the account unless `isKept` accepts it.
    package mutating func forget(unless isKept: (Account) -> Bool) {
        if let current, !isKept(current) { self.current = nil }
    }
}
