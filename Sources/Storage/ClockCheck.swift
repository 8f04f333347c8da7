// SPDX-License-Identifier: Apache-2.0

/// Compares a node's clock with the clock of the database server, which all nodes share.
///
/// Nodes decide with their own clocks when codes, tokens, sessions and throttle counts expire. If the clocks of two
/// nodes differed by minutes, a code that one node had just issued could already have expired for the other node.
package struct ClockCheck: Sendable {
    /// The largest difference at which a node may serve requests. The clocks of two nodes that serve requests therefore
    /// differ by at most twice this time. The nonces of signed requests tolerate a larger difference.
    package static let limit = Duration.seconds(10)

    private let database: any Database
    private let now: @Sendable () -> Timestamp

    /// - Parameter now: the node's clock.
    package init(database: any Database, now: @escaping @Sendable () -> Timestamp = { .now }) {
        (self.database, self.now) = (database, now)
    }

    /// Returns how far the node's clock is ahead of the server's clock; negative if it is behind. The time that the
    /// server's answer takes does not count as a difference.
    ///
    /// - Throws: ``StorageError``, `CancellationError`
    package func difference() async throws -> Duration {
        let before = now()
        guard let time = try await database.serverTime() else { return .zero }
        let after = now()
        if time < before { return .milliseconds(before.rawValue - time.rawValue) }
        return time > after ? .milliseconds(after.rawValue - time.rawValue) : .zero
    }
}
