// SPDX-License-Identifier: Apache-2.0

/// An access token and the account that it belongs to.
#if canImport(ObjectiveC)
    @objc(MSALResult) @objcMembers
#endif
open class MSALResult: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after initialization.

    /// The access token for the requested scopes; empty if the server sent none (RES-1).
    open private(set) var accessToken: String
    /// The account that signed in.
    open private(set) var account: MSALAccount
    /// When the access token expires.
    open private(set) var expiresOn: Date?
    /// The id token, as the identity platform signed it.
    open private(set) var idToken: String?
    /// The scopes that were granted; empty if there is no access token (RES-1).
    open private(set) var scopes: [String]
    /// The account's profile in the tenant that issued the token.
    open private(set) var tenantProfile: MSALTenantProfile
    /// The authority to use for later silent calls; it may differ from the requested authority (RES-3).
    open private(set) var authority: MSALAuthority
    /// The id that identifies this request in app, broker and server (RES-3).
    open private(set) var correlationId: UUID

    package init(
        accessToken: String, account: MSALAccount, expiresOn: Date?, idToken: String?, scopes: [String],
        tenantProfile: MSALTenantProfile, authority: MSALAuthority, correlationId: UUID
    ) {
        self.accessToken = accessToken
        self.account = account
        self.expiresOn = expiresOn
        self.idToken = idToken
        self.scopes = accessToken.isEmpty ? [] : scopes
        self.tenantProfile = tenantProfile
        self.authority = authority
        self.correlationId = correlationId
    }

    /// The token type, always `Bearer`.
    open var authenticationScheme: String { "Bearer" }

    /// The value for an `Authorization` header; empty if there is no access token (RES-1, RES-2).
    open var authorizationHeader: String { accessToken.isEmpty ? "" : "\(authenticationScheme) \(accessToken)" }
}

extension MSALResult: CustomReflectable {
    /// An empty mirror, so that dumping a result into a log reveals no token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

// Names from version 1.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALResult {
    /// The tenant that issued the token.
    @available(*, deprecated, message: "Use tenantProfile.tenantId.")
    public var tenantId: String? { tenantProfile.tenantId }

    /// The user's object id in the tenant that issued the token.
    @available(*, deprecated, message: "Use tenantProfile.identifier.")
    public var uniqueId: String? { tenantProfile.identifier }
}
