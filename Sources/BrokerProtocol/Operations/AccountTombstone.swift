// SPDX-License-Identifier: Apache-2.0

/// An account that a reader knows of: what `previousAccount` is made of after the worker has gone.
///
/// It holds the account's identifier and no name, and goes when the reader has acknowledged the change.
package struct AccountTombstone: Sendable, Codable, Equatable {
    package let homeAccountID: String
    /// The epoch in which the reader learned of it.
    package let epoch: Epoch
    /// Whether a query for the current account named it. False if the reader only got a token for it.
    package let isReported: Bool
    /// Whether the app removed the account in that epoch: it then gets no silent token until somebody signs in through it.
    package let isRemoved: Bool
    /// When that epoch ended, in seconds since 1970; nil while it lasts.
    package var endedAt: Int?

    package init(
        homeAccountID: String, epoch: Epoch, isReported: Bool = true, isRemoved: Bool = false, endedAt: Int? = nil
    ) {
        self.homeAccountID = homeAccountID
        self.epoch = epoch
        self.isReported = isReported
        self.isRemoved = isRemoved
        self.endedAt = endedAt
    }

    /// Tombstones of earlier versions say neither `isReported`, which theirs all were, nor `isRemoved`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        homeAccountID = try members.decode(String.self, forKey: .homeAccountID)
        epoch = try members.decode(Epoch.self, forKey: .epoch)
        isReported = try members.decodeIfPresent(Bool.self, forKey: .isReported) ?? true
        isRemoved = try members.decodeIfPresent(Bool.self, forKey: .isRemoved) ?? false
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

    /// The account that the reader knew before, now that `current` is here: the oldest one that has left, else `current`
    /// itself if the reader knew it. A worker who is here and of whom it only has a token does not count yet: the next query
    /// reports them as new (rule CUR-13).
    package func previous(current: String?) -> String? {
        let other = told.first { $0.homeAccountID != current } ?? told.first
        guard let other, other.isReported || other.endedAt != nil else { return nil }
        return other.homeAccountID
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
        let before = told
        let isRemoved = isRemoved(homeAccountID, in: epoch)
        note(homeAccountID, in: epoch, byQuery: byQuery, isRemoved: isRemoved)
        // A worker who left and came back is no change, and must not hide one who was here in between.
        while byQuery, told.count > 1, told[0].homeAccountID == homeAccountID { told.removeFirst() }
        return told != before
    }

    /// Whether the app removed this account in `epoch`, and nobody has signed in through it since.
    package func isRemoved(_ homeAccountID: String, in epoch: Epoch) -> Bool {
        knows(homeAccountID, in: epoch) && told.last?.isRemoved == true
    }

    /// Notes that the app removed the account that is here in `epoch`, or that somebody signed in through it again; returns
    /// whether that is new.
    package mutating func setRemoved(_ isRemoved: Bool, _ homeAccountID: String, in epoch: Epoch) -> Bool {
        guard isRemoved != self.isRemoved(homeAccountID, in: epoch) else { return false }
        note(homeAccountID, in: epoch, byQuery: false, isRemoved: isRemoved)
        return true
    }

    /// Makes the account of `epoch` the last one that the reader knows of.
    private mutating func note(_ homeAccountID: String, in epoch: Epoch, byQuery: Bool, isRemoved: Bool) {
        var isReported = byQuery
        if let last = told.last, last.homeAccountID == homeAccountID {
            isReported = byQuery || last.isReported
            told.removeLast()
        }
        told.append(
            AccountTombstone(
                homeAccountID: homeAccountID, epoch: epoch, isReported: isReported, isRemoved: isRemoved))
        told.removeFirst(max(0, told.count - Self.maximum))
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
