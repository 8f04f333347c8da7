// SPDX-License-Identifier: Apache-2.0

/// The worker whom MSAL and the hand-over both name.
///
/// MSAL answers at once who is signed in. The hand-over names a worker only when it is certain that the next sign-out
/// will wait until the app has erased its data. The app is therefore given a worker only after the hand-over has named
/// them.
package struct NamedWorker<Account: Equatable, Obstacle> {
    /// The last change that the hand-over reported.
    package enum Change {
        case worker(Account)
        case nobody
        /// It is unknown who is signed in. The obstacle is nil if this state may end in a moment.
        case unknown(Obstacle?)
    }

    /// What the app does with MSAL's answer.
    package enum Step {
        /// The app is given this worker. It is also given the worker whom it knew before, unless it was already told
        /// that this former worker has left.
        case give(Account?, previous: Account?)
        /// MSAL is asked again now.
        case askAgain
        /// MSAL is asked again after the next change.
        case wait
        case fail(Obstacle)
    }

    /// The worker whom the app was given.
    package private(set) var current: Account?
    /// The worker whom the app knew before; nil once the app has been told of them.
    private var previous: Account?
    private var change: Change?
    /// How many changes the hand-over has reported.
    package private(set) var changes = 0

    package init() {}

    /// Records a change that the hand-over has reported.
    ///
    /// - Returns: whether the app must be told of the change. It need not be told of the first change if this change
    ///   only says that nobody is signed in.
    package mutating func note(_ change: Change, hasPrevious: Bool) -> Bool {
        (self.change, changes) = (change, changes + 1)
        guard case .nobody = change, !hasPrevious else { return true }
        return current != nil
    }

    /// Whether a change is certain to come: the hand-over has not reported any yet, for example because an eraser is at
    /// work, or it has reported a state that ends in a moment.
    package var isUndecided: Bool {
        switch change {
        case nil, .unknown(nil): true
        case .worker, .nobody, .unknown: false
        }
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

    /// MSAL names a former worker in one answer only. In later answers, both accounts are equal.
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
