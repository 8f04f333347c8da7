// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// An account that a reader has been told of: what `previousAccount` is made of after the worker has gone.
///
/// It holds the account's identifier and no name, and goes when the reader has acknowledged the change.
package struct AccountTombstone: Sendable, Codable, Equatable {
    package let homeAccountID: String
    /// The epoch in which the reader was told.
    package let epoch: Epoch
    /// When that epoch ended, in seconds since 1970; nil while it lasts.
    package var endedAt: Int?

    package init(homeAccountID: String, epoch: Epoch, endedAt: Int? = nil) {
        self.homeAccountID = homeAccountID
        self.epoch = epoch
        self.endedAt = endedAt
    }
}

/// The accounts that one reader has been told of and has not yet acknowledged the leaving of, oldest first.
///
/// The oldest one is what the reader hears as its previous account; nothing is lost when its app dies between hearing
/// and clearing, nor when two workers came and went while it was stopped.
package struct AccountTombstones: Sendable, Equatable {
    package private(set) var told: [AccountTombstone]

    /// Changes that one reader may sleep through; the oldest are forgotten first.
    private static let maximum = 16

    package init(_ told: [AccountTombstone]) { self.told = told }

    /// Whom the reader saw before, as it hears it now.
    package var previous: String? { told.first?.homeAccountID }

    /// Notes that the reader is about to be told of `homeAccountID`; returns whether anything is new.
    package mutating func tell(_ homeAccountID: String, in epoch: Epoch) -> Bool {
        if let last = told.last, last.homeAccountID == homeAccountID {
            guard last.endedAt != nil || last.epoch != epoch else { return false }
            told.removeLast()
        }
        told.append(AccountTombstone(homeAccountID: homeAccountID, epoch: epoch))
        told.removeFirst(max(0, told.count - Self.maximum))
        return true
    }

    /// The reader has dealt with the leaving of `homeAccountID`; returns whether anything changed.
    package mutating func acknowledge(_ homeAccountID: String, current: String?) -> Bool {
        guard told.first?.homeAccountID == homeAccountID, homeAccountID != current || told.count > 1 else {
            return false
        }
        told.removeFirst()
        return true
    }
}
