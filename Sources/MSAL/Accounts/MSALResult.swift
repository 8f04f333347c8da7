// SPDX-License-Identifier: Apache-2.0

/// A token, and whose it is.
#if canImport(ObjectiveC)
    @objc(MSALResult) @objcMembers
#endif
open class MSALResult: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after it was made.

    /// The access token for the scopes that were asked; empty where the server sent none (RES-1).
    open private(set) var accessToken: String
    /// The account that signed in.
    open private(set) var account: MSALAccount
    /// When the access token expires.
    open private(set) var expiresOn: Date?
    /// The id token, as the identity platform signed it.
    open private(set) var idToken: String?
    /// The scopes that were granted; none without an access token (RES-1).
    open private(set) var scopes: [String]
    /// The account in the tenant that the token is of.
    open private(set) var tenantProfile: MSALTenantProfile
    /// The authority to use for later silent calls; it may differ from the one that was asked (RES-3).
    open private(set) var authority: MSALAuthority
    /// The id that follows this request through app, broker and server (RES-3).
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

    /// The kind of token, always `Bearer`.
    open var authenticationScheme: String { "Bearer" }

    /// The value of an `Authorization` header; empty without a token (RES-1, RES-2).
    open var authorizationHeader: String { accessToken.isEmpty ? "" : "\(authenticationScheme) \(accessToken)" }
}

extension MSALResult: CustomReflectable {
    /// Shows nothing, so that dumping a result into a log gives no token away.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

// The names of version 1.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALResult {
    /// The tenant that the token is of.
    @available(*, deprecated, message: "Use tenantProfile.tenantId.")
    public var tenantId: String? { tenantProfile.tenantId }

    /// The person's object id in the tenant that the token is of.
    @available(*, deprecated, message: "Use tenantProfile.identifier.")
    public var uniqueId: String? { tenantProfile.identifier }
}
