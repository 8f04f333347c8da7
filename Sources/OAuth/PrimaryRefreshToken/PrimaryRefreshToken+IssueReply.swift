// SPDX-License-Identifier: Apache-2.0
package import CryptoExtras
package import Redaction

extension PrimaryRefreshToken {
    /// What the server answers to an issue request, read by the device.
    package struct IssueReply: Sendable {
        /// The PRT itself.
        package let token: Sensitive<String>
        /// Seconds until the PRT dies unused.
        package let expiresIn: Int
        package let clientInfo: ClientInfo
        /// The server's session id, needed to end the session later.
        package let sessionID: String?
        /// The epoch that the server took the PRT to be for; nil from a server that does not say.
        package let epoch: DeviceEpoch?
        /// What the device's receipts call the person; nil from a server that gives none.
        package let receiptSubject: String?
        /// Whether the device may ask for a lease by which the person signs in offline.
        package let offersOfflineLeases: Bool
        /// The account's display facts; nobody signed them, the TLS connection vouches.
        package let identity: Members
        private let sessionKeyEnvelope: String

        /// Reads a reply with status 200.
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

        /// Opens the session key with the device's transport key.
        ///
        /// - Throws: ``JOSEFailure``.
        package func sessionKey(transportKey: _RSA.Encryption.PrivateKey) throws(JOSEFailure) -> SessionKey {
            try SessionKeyEnvelope.open(sessionKeyEnvelope, with: transportKey)
        }

        /// The same with a transport key that another holds; may block.
        ///
        /// - Throws: ``JOSEFailure``, or what `decrypt` throws.
        package func sessionKey(openedBy decrypt: ([UInt8]) throws -> SecretBytes) throws -> SessionKey {
            try SessionKeyEnvelope.open(sessionKeyEnvelope, by: decrypt)
        }
    }
}
