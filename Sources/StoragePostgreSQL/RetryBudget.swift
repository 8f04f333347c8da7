// SPDX-License-Identifier: Apache-2.0

/// How often one transaction may still be repeated, and after which pauses.
struct RetryBudget {
    private var conflicts: Int
    /// How often the transaction may still be repeated because its connection was lost or because a prepared statement
    /// no longer fits the tables. A connection that was lost before the transaction began does not count.
    private var losses = 2
    private var ceiling = Self.firstCeiling

    private static let firstCeiling = Duration.milliseconds(1)
    private static let lastCeiling = Duration.milliseconds(64)

    init(conflicts: Int) { self.conflicts = conflicts }

    /// Returns the pause before the next attempt; nil if the transaction must not be repeated.
    ///
    /// Transactions that conflict would conflict again if they were repeated at the same time. The pause is therefore
    /// random, and its upper limit doubles after each conflict.
    ///
    /// - Parameter random: a random number from 0 to 1.
    mutating func pause(after kind: Failure.Kind, random: Double) -> Duration? {
        switch kind {
        case .conflict:
            guard conflicts > 0 else { return nil }
            conflicts -= 1
            defer { ceiling = min(ceiling * 2, Self.lastCeiling) }
            return ceiling * random
        case .lost, .stale:
            guard losses > 0 else { return nil }
            losses -= 1
            return .zero
        case .refused, .unavailable, .unknownOutcome, .cancelled: return nil
        }
    }
}
