// SPDX-License-Identifier: Apache-2.0

/// An account that a reader has seen. After the worker has left, the account is reported as `previousAccount`.
///
/// A tombstone contains the account's identifier and no name. It is removed when the reader has acknowledged the
/// change.
package struct AccountTombstone: Sendable, Codable, Equatable {
    package let homeAccountID: String
    /// The last epoch in which the reader saw the account.
    package let epoch: Epoch
    /// Whether the reader's query for the current account returned this account. False if the reader only got a token
    /// for the account.
    package let isReported: Bool
    /// Whether the app removed the account in that epoch. The app then gets no silent token until a user signs in
    /// through the app.
    package let isRemoved: Bool
    /// When that epoch ended, in seconds since 1970; nil if it has not ended.
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

    /// Decodes a tombstone. Earlier versions wrote neither `isReported`, which was always true, nor `isRemoved`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        homeAccountID = try members.decode(String.self, forKey: .homeAccountID)
        epoch = try members.decode(Epoch.self, forKey: .epoch)
        isReported = try members.decodeIfPresent(Bool.self, forKey: .isReported) ?? true
        isRemoved = try members.decodeIfPresent(Bool.self, forKey: .isRemoved) ?? false
        endedAt = try members.decodeIfPresent(Int.self, forKey: .endedAt)
    }
}

/// The accounts that one reader has seen and whose departure it has not acknowledged yet; oldest first.
///
/// The reader gets the oldest account as its previous account. No change is lost if the app crashes between receiving a
/// change and deleting its data, or if two workers came and went while the app was stopped.
package struct AccountTombstones: Sendable, Equatable {
    package private(set) var told: [AccountTombstone]

    /// The number of unacknowledged changes kept per reader; the oldest are dropped first.
    private static let maximum = 16

    package init(_ told: [AccountTombstone]) { self.told = told }

    /// Returns the account that the reader saw before, given the current one: the oldest account that has left, or else
    /// `current` itself if the reader saw it.
    ///
    /// A current account for which the reader only got a token does not count yet: the next query reports it as new
    /// (rule CUR-13).
    package func previous(current: String?) -> String? {
        let other = told.first { $0.homeAccountID != current } ?? told.first
        guard let other, other.isReported || other.endedAt != nil else { return nil }
        return other.homeAccountID
    }

    /// Whether the reader has seen in `epoch` that this account is the current one.
    package func knows(_ homeAccountID: String, in epoch: Epoch) -> Bool {
        guard let last = told.last else { return false }
        return last.homeAccountID == homeAccountID && last.epoch == epoch && last.endedAt == nil
    }

    /// Records that the reader is about to see `homeAccountID`; returns whether anything changed.
    ///
    /// - Parameter byQuery: true if the reader asked for the current account; false if the reader gets a token.
    package mutating func tell(_ homeAccountID: String, in epoch: Epoch, byQuery: Bool = true) -> Bool {
        let before = told
        let isRemoved = isRemoved(homeAccountID, in: epoch)
        note(homeAccountID, in: epoch, byQuery: byQuery, isRemoved: isRemoved)
        // If a worker left and came back, that is not a change, and must not hide a worker who was signed in meanwhile.
        while byQuery, told.count > 1, told[0].homeAccountID == homeAccountID { told.removeFirst() }
        return told != before
    }

    /// Whether the app removed this account in `epoch` and nobody has signed in through the app since then.
    package func isRemoved(_ homeAccountID: String, in epoch: Epoch) -> Bool {
        knows(homeAccountID, in: epoch) && told.last?.isRemoved == true
    }

    /// Records that the app removed the current account of `epoch`, or that a user signed in through the app again;
    /// returns whether anything changed.
    package mutating func setRemoved(_ isRemoved: Bool, _ homeAccountID: String, in epoch: Epoch) -> Bool {
        guard isRemoved != self.isRemoved(homeAccountID, in: epoch) else { return false }
        note(homeAccountID, in: epoch, byQuery: false, isRemoved: isRemoved)
        return true
    }

    /// Makes the tombstone of this account and `epoch` the last one in the list.
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

    /// Removes `homeAccountID` after the reader has handled its departure; returns whether anything changed. Keeps the
    /// account if the reader has seen it in `epoch` or later.
    ///
    /// - Parameter epoch: the epoch in which the reader was told of the departure: the current epoch or an earlier one.
    package mutating func acknowledge(_ homeAccountID: String, in epoch: Epoch) -> Bool {
        guard let first = told.first, first.homeAccountID == homeAccountID, first.epoch.counter < epoch.counter else {
            return false
        }
        told.removeFirst()
        return true
    }
}
