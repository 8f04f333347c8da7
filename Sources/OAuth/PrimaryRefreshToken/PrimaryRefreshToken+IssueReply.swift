// SPDX-License-Identifier: Apache-2.0
package import CryptoExtras
package import Redaction

extension PrimaryRefreshToken {
    /// The server's reply to an ``IssueRequest``, as the device reads it.
    package struct IssueReply: Sendable {
        /// The PRT itself.
        package let token: Sensitive<String>
        /// Seconds until an unused PRT expires.
        package let expiresIn: Int
        package let clientInfo: ClientInfo
        /// The server's session id, needed to end the session later.
        package let sessionID: String?
        /// The epoch for which the server issued the PRT; nil if the server sends none.
        package let epoch: DeviceEpoch?
        /// The user's pseudonym in the device's receipts; nil if the server sends none.
        package let receiptSubject: String?
        /// Whether the device may request a lease with which the user can sign in offline.
        package let offersOfflineLeases: Bool
        /// The account's display data. The data is not signed; the TLS connection authenticates it.
        package let identity: Members
        private let sessionKeyEnvelope: String

        /// Reads the body of a reply with status 200.
        ///
        /// - Throws: ``MembersFailure``, ``Base64Failure``.
        package init(decoding body: [UInt8]) throws {
            let reply = try Members(decoding: body)
            token = Sensitive(try reply.string(ReplyName.refreshToken))
            guard let seconds = try reply.lenientInteger(ReplyName.refreshTokenExpiresIn) else {
                throw MembersFailure.missing(ReplyName.refreshTokenExpiresIn.rawValue)
            }
            expiresIn = seconds
            clientInfo = try ClientInfo(decoding: try reply.string(ReplyName.clientInfo))
            epoch = try DeviceEpoch.read(reply)
            receiptSubject = try reply.optionalString(ReplyName.receiptSubject)
            offersOfflineLeases = try reply.lenientBool(ReplyName.offlineLeases) ?? false
            sessionKeyEnvelope = try reply.string(ReplyName.sessionKey)
            let segments = try reply.string(ReplyName.idToken).split(
                separator: ".", omittingEmptySubsequences: false)
            guard segments.count == 3 else { throw MembersFailure.wrongType(ReplyName.idToken.rawValue) }
            identity = try Members(decoding: try Base64URL.decode(segments[1]))
            sessionID = try identity.optionalString(ClaimName.sessionID)
        }

        /// Decrypts the session key with the device's transport key.
        ///
        /// - Throws: ``JOSEFailure``.
        package func sessionKey(transportKey: _RSA.Encryption.PrivateKey) throws(JOSEFailure) -> SessionKey {
            try SessionKeyEnvelope.open(sessionKeyEnvelope, with: transportKey)
        }

        /// Decrypts the session key with a transport key outside this process; may block.
        ///
        /// - Throws: ``JOSEFailure``, or the error of `decrypt`.
        package func sessionKey(openedBy decrypt: ([UInt8]) throws -> SecretBytes) throws -> SessionKey {
            try SessionKeyEnvelope.open(sessionKeyEnvelope, by: decrypt)
        }
    }
}
