// SPDX-License-Identifier: Apache-2.0

/// What is known about an account.
#if canImport(ObjectiveC)
    @objc(MSALAccount)
#endif
public protocol MSALAccountProtocol: NSObjectProtocol {
    /// The name to show, such as `amara@contoso.example`.
    var username: String? { get }
    /// `<object id>.<tenant id>`, the same in all apps.
    var identifier: String? { get }
    /// The host of the identity platform.
    var environment: String { get }
    /// The claims of the home tenant's id token, where one is known.
    var accountClaims: [String: Any]? { get }
    /// The account in each tenant; nil for an account that came with a token.
    var tenantProfiles: [MSALTenantProfile]? { get }
    /// ``identifier`` in its parts.
    var homeAccountId: MSALAccountId? { get }
    /// Whether the broker holds the account.
    var isSSOAccount: Bool { get }
}
