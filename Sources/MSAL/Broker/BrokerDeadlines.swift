// SPDX-License-Identifier: Apache-2.0

/// How long the library waits for the broker.
package struct BrokerDeadlines: Sendable {
    /// For a connection, before a call that needs one fails.
    package var connect: Duration = .seconds(1)
    /// For the broker's hello on a new connection.
    package var hello: Duration = .seconds(1)
    /// For the broker to take what is sent, before the connection is given up.
    package var taking: Duration = .seconds(10)
    /// For the rest of a message of which the first byte has come: the broker sends each in one piece.
    package var frame: Duration = .seconds(2)
    /// For the reply to a request in which no person takes part.
    package var silent: Duration = .seconds(60)
    /// For the reply to a sign-in: longer than the broker lets a page stay open.
    package var interactive: Duration = .seconds(660)
    /// For the reply to a sign-in that was given up: the broker closes its window first.
    package var cancellation: Duration = .seconds(5)
    /// The longest pause between attempts to reach a broker that is away, or that ends each connection at once.
    package var pause: Duration = .seconds(2)

    package init() {}
}

/// The pauses between attempts to reach a broker that is away: none at first, then doubling up to a limit.
struct Backoff {
    private let limit: Duration
    private var next = Duration.zero

    init(limit: Duration) { self.limit = limit }

    /// The pause before the next attempt.
    mutating func pause() -> Duration {
        defer { next = min(max(next * 2, .milliseconds(10)), limit) }
        return next
    }

    /// Starts over, after a connection that was worth it: one that ends at once must not be made again at once.
    mutating func reset(after lifetime: Duration) {
        if lifetime >= .seconds(1) { next = .zero }
    }
}
