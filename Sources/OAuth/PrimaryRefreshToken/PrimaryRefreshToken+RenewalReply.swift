// SPDX-License-Identifier: Apache-2.0
package import Redaction

extension PrimaryRefreshToken {
    /// What the server answers to a renewal, decrypted: another token, under the same session key.
    package struct RenewalReply: Sendable {
        package let token: Sensitive<String>
        /// Seconds until the token dies unused.
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
