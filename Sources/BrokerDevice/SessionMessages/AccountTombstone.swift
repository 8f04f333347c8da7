// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// An account that a reader knows of: what `previousAccount` is made of after the worker has gone.
///
/// It holds the account's identifier and no name, and goes when the reader has acknowledged the change.
package struct AccountTombstone: Sendable, Codable, Equatable {
    package let homeAccountID: String
    /// The epoch in which the reader learned of it.
    package let epoch: Epoch
    /// Whether a query for the current account named it. False if the reader only got a token for it.
    package let isReported: Bool
    /// When that epoch ended, in seconds since 1970; nil while it lasts.
    package var endedAt: Int?

    package init(homeAccountID: String, epoch: Epoch, isReported: Bool = true, endedAt: Int? = nil) {
        self.homeAccountID = homeAccountID
        self.epoch = epoch
        self.isReported = isReported
        self.endedAt = endedAt
    }

    /// Tombstones of earlier versions do not say `isReported`; theirs all were.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        homeAccountID = try members.decode(String.self, forKey: .homeAccountID)
        epoch = try members.decode(Epoch.self, forKey: .epoch)
        isReported = try members.decodeIfPresent(Bool.self, forKey: .isReported) ?? true
        endedAt = try members.decodeIfPresent(Int.self, forKey: .endedAt)
    }
}

/// The accounts that one reader knows of and has not yet acknowledged the leaving of, oldest first.
///
/// The oldest one is what the reader hears as its previous account; nothing is lost when its app dies between hearing
/// and clearing, nor when two workers came and went while it was stopped.
package struct AccountTombstones: Sendable, Equatable {
    package private(set) var told: [AccountTombstone]

    /// Changes that one reader may sleep through; the oldest are forgotten first.
    private static let maximum = 16

    package init(_ told: [AccountTombstone]) { self.told = told }

    /// The account that the reader knew before. A worker who is here and of whom it only has a token does not count yet:
    /// the next query reports them as new (rule CUR-13).
    package var previous: String? {
        guard let first = told.first, first.isReported || first.endedAt != nil else { return nil }
        return first.homeAccountID
    }

    /// Whether the reader knows that this worker is here in `epoch`.
    package func knows(_ homeAccountID: String, in epoch: Epoch) -> Bool {
        guard let last = told.last else { return false }
        return last.homeAccountID == homeAccountID && last.epoch == epoch && last.endedAt == nil
    }

    /// Notes that the reader is about to learn of `homeAccountID`; returns whether anything is new.
    ///
    /// - Parameter byQuery: whether it asked for the current account; false if it gets a token.
    package mutating func tell(_ homeAccountID: String, in epoch: Epoch, byQuery: Bool = true) -> Bool {
        var isReported = byQuery
        if let last = told.last, last.homeAccountID == homeAccountID {
            guard last.endedAt != nil || last.epoch != epoch || (byQuery && !last.isReported) else { return false }
            isReported = byQuery || last.isReported
            told.removeLast()
        }
        told.append(AccountTombstone(homeAccountID: homeAccountID, epoch: epoch, isReported: isReported))
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
