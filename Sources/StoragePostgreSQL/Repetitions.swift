// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Counts the transactions that were repeated, for operators.
final class Repetitions: Sendable {
    private let state = Mutex((conflicts: 0, losses: 0))

    /// How often a transaction was repeated after a conflict, and how often after the loss of a connection.
    var counts: (conflicts: Int, losses: Int) { state.withLock { $0 } }

    func count(after kind: Failure.Kind) {
        state.withLock { state in
            if kind == .conflict { state.conflicts += 1 } else { state.losses += 1 }
        }
    }
}
