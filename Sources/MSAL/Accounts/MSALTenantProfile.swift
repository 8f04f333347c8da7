// SPDX-License-Identifier: Apache-2.0

/// An account's record in one tenant.
#if canImport(ObjectiveC)
    @objc(MSALTenantProfile) @objcMembers
#endif
open class MSALTenantProfile: NSObject, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after initialization.

    /// The user's object id in the tenant.
    open private(set) var identifier: String?
    /// The host of the identity platform.
    open private(set) var environment: String?
    /// The tenant's id.
    open private(set) var tenantId: String?
    /// Whether this is the account's home tenant, in which it was created.
    open private(set) var isHomeTenantProfile: Bool
    /// The claims of the tenant's id token, if known.
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

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension MSALTenantProfile: CustomReflectable {
    /// An empty mirror, so that dumping a profile into a log reveals no name.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
