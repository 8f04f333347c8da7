// SPDX-License-Identifier: Apache-2.0
internal import HummingbirdCore
internal import IdentityPlatform
internal import Logging
internal import NIOCore
internal import Synchronization

/// Counts a listener's connections by address and refuses connections beyond an address's share, so that one address
/// cannot take every place. Logs at most once per minute that a connection was refused, and at most once per minute
/// that all places are taken.
final class ConnectionShares: Sendable {
    private struct State {
        /// The number of connections of each address. An address without connections has no entry.
        var held: [PeerAddress: Int] = [:]
        var refused = 0
        var refusals = WarningPace()
        var fullness = WarningPace()
    }

    /// The maximum number of connections from one address.
    private let share: Int
    private let listener: String
    private let logger: Logger
    private let state = Mutex(State())

    init(share: Int, listener: String, logger: Logger) {
        (self.share, self.listener, self.logger) = (share, listener, logger)
    }

    /// Takes a place for a connection; returns false if the address has used up its share.
    func enter(_ peer: PeerAddress) -> Bool {
        let (isLetIn, refused) = state.withLock { state -> (Bool, Int?) in
            guard state.held[peer, default: 0] < share else {
                state.refused += 1
                return (false, state.refusals.isDue() ? state.refused : nil)
            }
            state.held[peer, default: 0] += 1
            return (true, nil)
        }
        if let refused {
            logger.warning(
                "connections refused: one address holds its share of them",
                metadata: [
                    "listener": "\(listener)", "connections.share": "\(share)", "connections.refused": "\(refused)",
                ])
        }
        return isLetIn
    }

    /// Frees the place of a connection that has ended.
    func leave(_ peer: PeerAddress) {
        state.withLock { state in
            guard let held = state.held[peer] else { return }
            state.held[peer] = held > 1 ? held - 1 : nil
        }
    }

    /// Logs that the listener accepts no further connection until an open connection ends.
    fileprivate func tellOfFullness(_ connections: Int) {
        guard state.withLock({ $0.fullness.isDue() }) else { return }
        logger.warning(
            "every connection of the listener is taken; the next ones wait",
            metadata: ["listener": "\(listener)", "connections": "\(connections)"])
    }
}

/// A listener's total number of connections. Further connections wait to be accepted.
struct ConnectionTotal: AvailableConnectionsDelegate {
    let limit: Int
    let shares: ConnectionShares
    private var held = 0

    init(_ limit: Int, shares: ConnectionShares) { (self.limit, self.shares) = (limit, shares) }

    mutating func connectionOpened() { held += 1 }
    mutating func connectionClosed() { held -= 1 }

    func isAcceptingNewConnections() -> Bool {
        guard held >= limit else { return true }
        shares.tellOfFullness(limit)
        return false
    }
}
