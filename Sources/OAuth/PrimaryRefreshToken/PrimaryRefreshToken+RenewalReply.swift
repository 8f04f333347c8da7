// SPDX-License-Identifier: Apache-2.0
package import Redaction

extension PrimaryRefreshToken {
    /// The server's decrypted reply to a renewal: a new token under the same session key.
    package struct RenewalReply: Sendable {
        package let token: Sensitive<String>
        /// Seconds until an unused token expires.
        package let expiresIn: Int

        /// Reads a decrypted reply.
        ///
        /// - Throws: ``MembersFailure``
        package init(decoding body: [UInt8]) throws(MembersFailure) {
            let reply = try Members(decoding: body)
            token = Sensitive(try reply.string(ReplyName.refreshToken))
            guard let seconds = try reply.lenientInteger(ReplyName.refreshTokenExpiresIn) else {
                throw .missing(ReplyName.refreshTokenExpiresIn.rawValue)
            }
            expiresIn = seconds
        }
    }
}
