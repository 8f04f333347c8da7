// SPDX-License-Identifier: Apache-2.0

/// How long the library waits for each step of the broker.
package struct BrokerDeadlines: Sendable {
    /// For a connection, before a call that needs it fails.
    package var connect: Duration = .seconds(1)
    /// For the broker's hello on a new connection.
    package var hello: Duration = .seconds(1)
    /// For the broker to accept sent data, before the library closes the connection.
    package var taking: Duration = .seconds(10)
    /// For the rest of a message after its first byte; the broker sends each message in one piece.
    package var frame: Duration = .seconds(2)
    /// For the reply to a request without user interaction.
    package var silent: Duration = .seconds(60)
    /// For the reply to a sign-in; longer than the broker keeps a page open.
    package var interactive: Duration = .seconds(660)
    /// For the reply to a cancelled sign-in; the broker closes its window first.
    package var cancellation: Duration = .seconds(5)
    /// The longest pause between connection attempts while the broker is unavailable or closes each connection at once.
    package var pause: Duration = .seconds(2)

    package init() {}
}

/// The pauses between connection attempts while the broker is unavailable: zero at first, then doubling up to a limit.
struct Backoff {
    private let limit: Duration
    private var next = Duration.zero

    init(limit: Duration) { self.limit = limit }

    /// Returns the pause before the next attempt.
    mutating func pause() -> Duration {
        defer { next = min(max(next * 2, .milliseconds(10)), limit) }
        return next
    }

    /// Starts over after a connection that lasted at least a second. A connection that ends sooner must not be reopened
    /// at once.
    mutating func reset(after lifetime: Duration) {
        if lifetime >= .seconds(1) { next = .zero }
    }
}
