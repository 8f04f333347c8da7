// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON
internal import OAuth
internal import Redaction

/// A worker's session: the account, the PRT and the key that proves it; lives in this process's memory and, sealed under
/// the session's memory key, in one file.
struct WorkerSession: Sendable {
    let account: AccountRecord
    let token: Sensitive<String>
    let renewal: RenewalSchedule
    let key: OAuth::SessionKey
    /// The server's number of the session.
    let serverSession: String
    /// What the server calls the worker in receipts; nil where it gave no name, and after the process was started again.
    var receiptSubject: String?
    /// Whether the server said that it gives offline leases.
    var offersLeases = false
}

extension WorkerSession {
    /// The session that the server opened with a PRT.
    ///
    /// - Throws: ``BrokerError`` where the reply names no account or no session.
    init(
        _ reply: PrimaryRefreshToken.IssueReply, key: OAuth::SessionKey, environment: String, now: Int
    ) throws {
        guard let serverSession = reply.sessionID,
            let username = try reply.identity.optionalString(ClaimName.preferredUsername)
                ?? reply.identity.optionalString(ClaimName.userPrincipalName)
        else {
            throw BrokerError(.internal, "The PRT names no session or no account. Update the identity platform.")
        }
        self.init(
            account: AccountRecord(
                homeAccountID: reply.clientInfo.homeAccountID, localAccountID: reply.clientInfo.userID,
                realm: reply.clientInfo.tenantID, environment: environment, username: username,
                name: try reply.identity.optionalString(ClaimName.name), clientInfo: reply.clientInfo.encoded,
                idTokenClaims: .object(reply.identity.values)),
            token: reply.token, renewal: RenewalSchedule(given: now, lifetime: reply.expiresIn), key: key,
            serverSession: serverSession, receiptSubject: reply.receiptSubject,
            offersLeases: reply.offersOfflineLeases)
    }

    /// The same session with the PRT of a renewal.
    func renewed(_ reply: PrimaryRefreshToken.RenewalReply, now: Int) -> WorkerSession {
        WorkerSession(
            account: account, token: reply.token,
            renewal: RenewalSchedule(given: now, lifetime: reply.expiresIn), key: key, serverSession: serverSession)
    }
}
