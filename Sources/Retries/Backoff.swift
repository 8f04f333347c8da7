// SPDX-License-Identifier: Apache-2.0

/// The pauses between attempts that fail one after another: each is twice as long as the one before, up to a limit.
package struct Backoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private let isFirstImmediate: Bool
    private let success: Duration?
    /// The next pause; nil if no attempt has failed since the beginning.
    private var following: Duration?

    /// - Parameters:
    ///   - shortest: the first pause.
    ///   - isFirstImmediate: whether a pause of zero comes before the first pause.
    ///   - success: how long a connection or a process must last so that the pauses begin anew; nil if only ``reset()``
    ///     makes them begin anew.
    package init(
        from shortest: Duration, to longest: Duration, isFirstImmediate: Bool = false, success: Duration? = nil
    ) {
        (self.shortest, self.longest) = (shortest, longest)
        (self.isFirstImmediate, self.success) = (isFirstImmediate, success)
    }

    /// Returns the pause before the next attempt, if the last attempt lasted `life`.
    package mutating func next(after life: Duration = .zero) -> Duration {
        if let success, life >= success { reset() }
        guard let pause = following else {
            following = isFirstImmediate ? min(shortest, longest) : min(shortest * 2, longest)
            return isFirstImmediate ? .zero : min(shortest, longest)
        }
        following = min(pause * 2, longest)
        return pause
    }

    /// Lets the pauses begin anew, after a success.
    package mutating func reset() { following = nil }
}

extension Duration {
    /// Returns a random duration between half of this duration and all of it, so that many clients of one server do not
    /// reconnect at the same moment.
    ///
    /// - Parameter random: a random number from 0 to 1.
    package func spread(_ random: Double) -> Duration { self * (0.5 + random / 2) }
}
