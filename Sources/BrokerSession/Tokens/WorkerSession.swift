// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
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
    let key: SessionKey
    /// For this session's signed requests alone.
    var nonces = NonceStore()
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
        _ reply: PrimaryRefreshToken.IssueReply, key: SessionKey, nonces: NonceStore, environment: String,
        now: Int
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
            nonces: nonces, serverSession: serverSession, receiptSubject: reply.receiptSubject,
            offersLeases: reply.offersOfflineLeases)
    }

    /// The same session with the PRT of a renewal.
    func renewed(_ reply: PrimaryRefreshToken.RenewalReply, now: Int) -> WorkerSession {
        WorkerSession(
            account: account, token: reply.token,
            renewal: RenewalSchedule(given: now, lifetime: reply.expiresIn), key: key, nonces: nonces,
            serverSession: serverSession)
    }
}

/// What the identity platform answers must be about the worker, the session and the app that was asked for: an answer that was
/// mixed up on its way, or by the server, must not bring anybody another one's token.
extension WorkerSession {
    /// Looks whom an app's tokens are for.
    ///
    /// - Throws: ``BrokerError`` for another worker or another app; ``MembersFailure``, ``Base64Failure``, ``JOSEFailure``.
    func expectToken(_ reply: Members, for clientID: String) throws {
        try expectOwner(reply)
        let claims = try Self.claims(of: try reply.string(ReplyName.idToken))
        guard try claims.string(ClaimName.audience).lowercased() == clientID.lowercased() else {
            throw BrokerError.answerOfAnother
        }
        // In a tenant where the worker is a guest they have another object.
        guard try claims.string(ClaimName.tenantID).lowercased() == account.realm.lowercased() else { return }
        guard try claims.string(ClaimName.objectID).lowercased() == account.localAccountID.lowercased() else {
            throw BrokerError.answerOfAnother
        }
    }

    /// Looks whose PRT a renewal brings.
    ///
    /// - Throws: as ``expectToken(_:for:)``, and ``BrokerError`` for another session.
    func expectRenewal(_ reply: Members) throws {
        try expectOwner(reply)
        let plate = try Self.claims(of: try reply.string(ReplyName.idToken))
        guard try plate.string(ClaimName.sessionID) == serverSession else { throw BrokerError.answerOfAnother }
    }

    private func expectOwner(_ reply: Members) throws {
        let owner = try ClientInfo(decoding: try reply.string(ReplyName.clientInfo)).homeAccountID
        guard owner.lowercased() == account.homeAccountID.lowercased() else { throw BrokerError.answerOfAnother }
    }

    /// The payload of an id token, which the session's key or the TLS connection vouches for, not its signature.
    private static func claims(of token: String) throws -> Members {
        let segments = token.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3 else { throw JOSEFailure.malformed }
        return try Members(decoding: try Base64URL.decode(segments[1]))
    }
}

extension BrokerError {
    /// The identity platform answered what is another worker's, epoch's, session's or app's.
    static let answerOfAnother = BrokerError(
        .serverError,
        "The identity platform's answer is about another worker, epoch, session or app. Look at its log.")
}
