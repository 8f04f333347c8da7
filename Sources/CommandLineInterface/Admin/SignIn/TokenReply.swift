// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction

/// The tokens in an answer of the token endpoint (RFC 6749 section 5.1).
struct TokenReply: Sendable {
    let accessToken: Sensitive<String>
    /// For how many seconds the access token is valid.
    let lifetime: Int
    let refreshToken: Sensitive<String>?
    let idToken: Sensitive<String>?

    /// - Throws: ``CommandFailure`` `sign_in_server` if something is missing.
    init(_ members: Members, from endpoint: String) throws {
        guard let type = try? members.string(ReplyName.tokenType), type.lowercased() == "bearer",
            let access = try? members.string(ReplyName.accessToken), Self.isToken(access),
            let lifetime = try? members.lenientInteger(ReplyName.expiresIn), lifetime > 0
        else { throw AuthorizationServer.unusable(endpoint, "its answer contains no usable token") }
        accessToken = Sensitive(access)
        self.lifetime = lifetime
        refreshToken = (try? members.optionalString(ReplyName.refreshToken)).flatMap { $0.map(Sensitive.init) }
        idToken = (try? members.optionalString(ReplyName.idToken)).flatMap { $0.map(Sensitive.init) }
    }

    /// Whether a text can be sent as a bearer token (RFC 6750 section 2.1).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
