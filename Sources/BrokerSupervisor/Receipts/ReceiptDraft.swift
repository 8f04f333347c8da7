// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Receipts

/// What is known of the epoch that is under way, for the receipt that will end it. It survives the supervisor.
struct ReceiptDraft: Codable, Equatable {
    let epoch: Epoch
    /// Seconds since 1970.
    var began: Int?
    var committed: Int?
    /// The worker's pseudonym; nil while the server has named nobody.
    var subject: String?
    /// The server has opened a session, whether it named a pseudonym or not.
    var hasSession = false
    /// The worker came without the server; nil for no.
    var isOffline: Bool?
    /// No access token that an app was given lives longer; nil while none was given. It is a bound, written ahead, so that
    /// the disk is not waited for at each token.
    var tokensBound: Int?

    /// Seconds that the bound is written ahead of the token that asked for it.
    static let ahead = 30 * 60
}

extension ReceiptDraft {
    /// Whose session it was.
    func subjectFinding(isAttempt: Bool) -> Finding<String> {
        if let subject { return .known(subject) }
        return isAttempt && !hasSession ? .none : .unknown
    }
}
