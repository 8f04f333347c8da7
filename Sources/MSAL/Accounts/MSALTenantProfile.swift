// SPDX-License-Identifier: Apache-2.0

/// An account as one tenant knows it.
#if canImport(ObjectiveC)
    @objc(MSALTenantProfile) @objcMembers
#endif
open class MSALTenantProfile: NSObject, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after it was made.

    /// The person's object id in the tenant.
    open private(set) var identifier: String?
    /// The host of the identity platform.
    open private(set) var environment: String?
    /// The tenant.
    open private(set) var tenantId: String?
    /// Whether the account was made in this tenant.
    open private(set) var isHomeTenantProfile: Bool
    /// The claims of the tenant's id token, where one is known.
    open private(set) var claims: [String: Any]?

    package init(
        identifier: String?, environment: String?, tenantId: String?, isHomeTenantProfile: Bool, claims: [String: Any]?
    ) {
        self.identifier = identifier
        self.environment = environment
        self.tenantId = tenantId
        self.isHomeTenantProfile = isHomeTenantProfile
        self.claims = claims
    }

    /// The object itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension MSALTenantProfile: CustomReflectable {
    /// Shows nothing, so that dumping a profile into a log names nobody.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
