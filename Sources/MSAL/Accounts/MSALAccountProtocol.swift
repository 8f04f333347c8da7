// SPDX-License-Identifier: Apache-2.0

/// The properties of an account.
#if canImport(ObjectiveC)
    @objc(MSALAccount)
#endif
public protocol MSALAccountProtocol: NSObjectProtocol {
    /// The name to display, such as `amara@contoso.example`.
    var username: String? { get }
    /// The account's identifier, `<object id>.<tenant id>`. It is the same in all apps.
    var identifier: String? { get }
    /// The host of the identity platform.
    var environment: String { get }
    /// The claims of the home tenant's id token, if known.
    var accountClaims: [String: Any]? { get }
    /// The account's profile in each tenant; nil for the account of an ``MSALResult`` and for an account that has
    /// signed out.
    var tenantProfiles: [MSALTenantProfile]? { get }
    /// ``identifier``, split into its parts.
    var homeAccountId: MSALAccountId? { get }
    /// Whether this account is signed in at the broker.
    var isSSOAccount: Bool { get }
}
