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
        var toldOfRefusal: ContinuousClock.Instant?
        var toldOfFullness: ContinuousClock.Instant?
    }

    private static let pause = Duration.seconds(60)

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
                return (false, Self.isDue(&state.toldOfRefusal) ? state.refused : nil)
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
        guard state.withLock({ Self.isDue(&$0.toldOfFullness) }) else { return }
        logger.warning(
            "every connection of the listener is taken; the next ones wait",
            metadata: ["listener": "\(listener)", "connections": "\(connections)"])
    }

    private static func isDue(_ told: inout ContinuousClock.Instant?) -> Bool {
        let now = ContinuousClock.now
        if let told, told.duration(to: now) < pause { return false }
        told = now
        return true
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

/// Accepts a connection only if the connection's address has a place left. This is decided before anything is read from
/// the connection.
struct SharedChannel<Base: ServerChildChannel>: ServerChildChannel {
    /// The address has used up its share. This is reported only in the log.
    private struct Refused: Error {}

    let base: Base
    let shares: ConnectionShares

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let peer = PeerAddress(channel.remoteAddress)
        guard shares.enter(peer) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(Refused())
        }
        channel.closeFuture.whenComplete { [shares] _ in shares.leave(peer) }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
