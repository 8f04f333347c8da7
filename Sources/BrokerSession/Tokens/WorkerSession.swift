// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import JSON
internal import OAuth
internal import Redaction

/// A worker's session: the account, the PRT, and the key that proves possession of the PRT. The session is kept in this
/// process's memory and, sealed with the session's memory key, in one file.
struct WorkerSession: Sendable {
    let account: AccountRecord
    let token: Sensitive<String>
    let renewal: RenewalSchedule
    let key: SessionKey
    /// The nonces for this session's signed requests.
    var nonces = NonceStore()
    /// The session's id at the server.
    let serverSession: String
    /// The worker's pseudonym for receipts; nil if the server sent none, if the PRT was renewed, or if the process was
    /// restarted.
    var receiptSubject: String?
    /// Whether the server issues offline leases.
    var offersLeases = false
}

extension WorkerSession {
    /// The session that the server opened with a PRT.
    ///
    /// - Throws: ``BrokerError`` if the reply names no account or no session.
    init(
        _ reply: PrimaryRefreshToken.IssueReply, key: SessionKey, nonces: NonceStore, environment: String,
        now: Int
    ) throws {
        guard let serverSession = reply.sessionID,
            let username = try reply.identity.optionalString(ClaimName.preferredUsername)
                ?? reply.identity.optionalString(ClaimName.userPrincipalName)
        else {
            throw BrokerError(.internal, "The PRT lacks the session or the account. Update the identity platform.")
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

    /// Returns the same session with a renewed PRT.
    func renewed(_ reply: PrimaryRefreshToken.RenewalReply, now: Int) -> WorkerSession {
        WorkerSession(
            account: account, token: reply.token,
            renewal: RenewalSchedule(given: now, lifetime: reply.expiresIn), key: key, nonces: nonces,
            serverSession: serverSession)
    }
}

/// Checks that an answer from the identity platform is about the worker, the session and the app of the request. If the
/// server or something in transit mixes up answers, no app may get another worker's token.
extension WorkerSession {
    /// Checks that an app's tokens are for this worker and this app.
    ///
    /// - Throws: ``BrokerError`` for another worker or another app; ``MembersFailure``, ``Base64Failure``,
    ///   ``JOSEFailure``.
    func expectToken(_ reply: Members, for clientID: String) throws {
        try expectOwner(reply)
        let claims = try Self.claims(of: try reply.string(ReplyName.idToken))
        guard try claims.string(ClaimName.audience).lowercased() == clientID.lowercased() else {
            throw BrokerError.answerOfAnother
        }
        // In a tenant where the worker is a guest, they have a different object id.
        guard try claims.string(ClaimName.tenantID).lowercased() == account.realm.lowercased() else { return }
        guard try claims.string(ClaimName.objectID).lowercased() == account.localAccountID.lowercased() else {
            throw BrokerError.answerOfAnother
        }
    }

    /// Checks that a renewed PRT is for this worker and this session.
    ///
    /// - Throws: as ``expectToken(_:for:)``, and ``BrokerError`` for another session.
    func expectRenewal(_ reply: Members) throws {
        try expectOwner(reply)
        let claims = try Self.claims(of: try reply.string(ReplyName.idToken))
        guard try claims.string(ClaimName.sessionID) == serverSession else { throw BrokerError.answerOfAnother }
    }

    private func expectOwner(_ reply: Members) throws {
        let owner = try ClientInfo(decoding: try reply.string(ReplyName.clientInfo)).homeAccountID
        guard owner.lowercased() == account.homeAccountID.lowercased() else { throw BrokerError.answerOfAnother }
    }

    /// Returns the payload of an id token. Its signature is not checked: the session key or the TLS connection
    /// authenticates the answer.
    private static func claims(of token: String) throws -> Members {
        let segments = token.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3 else { throw JOSEFailure.malformed }
        return try Members(decoding: try Base64URL.decode(segments[1]))
    }
}

extension BrokerError {
    /// The identity platform's answer is about another worker, epoch, session or app.
    static let answerOfAnother = BrokerError(
        .serverError,
        "The identity platform's answer is about another worker, epoch, session or app. Look at the platform's log.")
}
