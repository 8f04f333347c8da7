// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// What a client asks to stand in its tokens beside the usual claims (OpenID Connect Core section 5.5).
///
/// What the platform does not have is left out, as the specification says; only a demand for a stronger way of
/// signing in, which it cannot meet, is refused (section 5.5.1.1).
package struct ClaimsRequest: Sendable, Equatable {
    package let idToken: Set<String>
    package let accessToken: Set<String>
    /// What the client says that it can do (`xms_cc`), such as to understand claims challenges.
    package let capabilities: [String]

    package static let none = ClaimsRequest(idToken: [], accessToken: [], capabilities: [])

    private init(idToken: Set<String>, accessToken: Set<String>, capabilities: [String]) {
        self.idToken = idToken
        self.accessToken = accessToken
        self.capabilities = capabilities
    }

    /// Reads the parameter `claims`; nil asks for nothing.
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

    /// Claims about how strongly the person has signed in; there is one way here.
    private static let unmet: Set<String> = ["acr", "acrs"]
}
