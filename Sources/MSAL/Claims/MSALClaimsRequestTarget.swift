// SPDX-License-Identifier: Apache-2.0

/// The token in which a claim is requested.
#if canImport(ObjectiveC)
    @objc(MSALClaimsRequestTarget)
#endif
public enum MSALClaimsRequestTarget: UInt, Sendable {
    /// The id token.
    case idToken = 0
    /// The access token.
    case accessToken = 1

    /// The top-level key in a claims request (OpenID Connect Core section 5.5).
    var key: String {
        switch self {
        case .idToken: "id_token"
        case .accessToken: "access_token"
        }
    }
}
