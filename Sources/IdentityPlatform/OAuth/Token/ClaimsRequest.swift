// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// The additional claims that a client requests for its tokens (OpenID Connect Core section 5.5).
///
/// Unknown claims are ignored, as the specification requires. Only a demand for a stronger sign-in is refused, because
/// the platform cannot meet it (section 5.5.1.1).
package struct ClaimsRequest: Sendable, Equatable {
    package let idToken: Set<String>
    package let accessToken: Set<String>
    /// The client's declared capabilities (`xms_cc`), such as support for claims challenges.
    package let capabilities: [String]

    package static let none = ClaimsRequest(idToken: [], accessToken: [], capabilities: [])

    private init(idToken: Set<String>, accessToken: Set<String>, capabilities: [String]) {
        self.idToken = idToken
        self.accessToken = accessToken
        self.capabilities = capabilities
    }

    /// Parses the parameter `claims`. If it is nil, no additional claims are requested.
    ///
    /// - Throws: ``OAuthError``
    package init(parsing text: String?) throws(OAuthError) {
        guard let text else {
            self = .none
            return
        }
        do throws(MembersFailure) {
            let request = try Members(decoding: Array(text.utf8), limit: 16 * 1024)
            let (idToken, accessToken) = (try request.members(Target.idToken), try request.members(Target.accessToken))
            self.init(
                idToken: Set(idToken?.values.keys ?? [:].keys), accessToken: Set(accessToken?.values.keys ?? [:].keys),
                capabilities: try accessToken?.members(ClaimName.clientCapabilities)?.strings(Detail.values) ?? [])
        } catch { throw .malformedClaims }
        guard idToken.isDisjoint(with: Self.unmet), accessToken.isDisjoint(with: Self.unmet) else {
            throw .unmetAuthenticationContext
        }
    }

    private enum Target: String, WireName {
        case idToken = "id_token"
        case accessToken = "access_token"
    }

    private enum Detail: String, WireName { case values }

    /// Claims about the strength of the sign-in. The platform offers only one strength.
    private static let unmet: Set<String> = ["acr", "acrs"]
}
