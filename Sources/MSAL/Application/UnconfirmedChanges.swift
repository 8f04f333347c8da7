// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The account changes that were handed to `async` code and are not acknowledged yet: at most one per client id.
final class UnconfirmedChanges: Sendable {
    /// A process usually has one client id, rarely a few more. A change for which there is no room is not stored, so
    /// the broker reports it again.
    private static let maximum = 16

    private let changes = Mutex<[String: AccountChange]>([:])

    func put(_ change: AccountChange, for clientID: String) {
        changes.withLock { changes in
            guard changes[clientID] != nil || changes.count < Self.maximum else { return }
            changes[clientID] = change
        }
    }

    /// Removes the change of a client and returns it; nil if there is none.
    func take(_ clientID: String) -> AccountChange? { changes.withLock { $0.removeValue(forKey: clientID) } }
}
