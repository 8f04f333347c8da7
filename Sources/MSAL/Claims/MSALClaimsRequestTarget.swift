// SPDX-License-Identifier: Apache-2.0

/// The token that a claim is asked for.
#if canImport(ObjectiveC)
    @objc(MSALClaimsRequestTarget)
#endif
public enum MSALClaimsRequestTarget: UInt, Sendable {
    /// The id token.
    case idToken = 0
    /// The access token.
    case accessToken = 1

    /// The top key of a claims request (OpenID Connect Core section 5.5).
    var key: String {
        switch self {
        case .idToken: "id_token"
        case .accessToken: "access_token"
        }
    }
}
