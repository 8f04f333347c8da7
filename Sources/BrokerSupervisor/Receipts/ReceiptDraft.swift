// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Receipts

/// The known facts about the current epoch, for the receipt that is written when the epoch ends. The draft is on disk,
/// so that the facts survive the supervisor's process.
struct ReceiptDraft: Codable, Equatable {
    let epoch: Epoch
    /// Seconds since 1970.
    var began: Int?
    var committed: Int?
    /// The worker's pseudonym; nil until the server has sent it.
    var subject: String?
    /// Whether the server has opened a session, with or without a pseudonym.
    var hasSession = false
    /// Whether the worker signed in offline; nil means no.
    var isOffline: Bool?
    /// An upper bound of the expiry times of the access tokens given to apps, in seconds since 1970; nil until a token
    /// is given. The bound exceeds the known expiry times, so that most new tokens need no write to disk.
    var tokensBound: Int?

    /// Seconds by which the bound exceeds the expiry of the token that raised it.
    static let ahead = 30 * 60
}

extension ReceiptDraft {
    /// The pseudonym for the receipt.
    func subjectFinding(isAttempt: Bool) -> Finding<String> {
        if let subject { return .known(subject) }
        return isAttempt && !hasSession ? .none : .unknown
    }
}
