// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import JSON

/// A worker's account as apps see it.
#if canImport(ObjectiveC)
    @objc(MSALAccount) @objcMembers
#endif
open class MSALAccount: NSObject, MSALAccountProtocol, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after initialization.

    /// The name to display; nil for an account that has signed out, because only its identifier is kept.
    open private(set) var username: String?
    /// The account's identifier, `<object id>.<tenant id>`. It is the same in all apps.
    open private(set) var identifier: String?
    /// The host of the identity platform.
    open private(set) var environment: String
    /// The claims of the home tenant's id token, if known (ACC-4).
    open private(set) var accountClaims: [String: Any]?
    /// The account's profile in each tenant; nil for the account of an ``MSALResult`` and for an account that has
    /// signed out (ACC-3).
    open private(set) var tenantProfiles: [MSALTenantProfile]?
    /// Whether this account is signed in at the broker; false for an account that has signed out.
    open private(set) var isSSOAccount: Bool

    package init(
        identifier: String?, username: String?, environment: String, accountClaims: [String: Any]? = nil,
        tenantProfiles: [MSALTenantProfile]? = nil, isSSOAccount: Bool = false
    ) {
        self.identifier = identifier
        self.username = username
        self.environment = environment
        self.accountClaims = accountClaims
        self.tenantProfiles = tenantProfiles
        self.isSSOAccount = isSSOAccount
    }

    /// ``identifier``, split into its parts (ACC-1).
    open var homeAccountId: MSALAccountId? { identifier.map(MSALAccountId.init(identifier:)) }

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is the same account (ACC-2).
    ///
    /// Compares identifiers, or user names if either account has no identifier. Case does not matter.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MSALAccount else { return false }
        if let identifier, let theirs = other.identifier { return Self.areEqual(identifier, theirs) }
        guard let username, let theirs = other.username else { return self === other }
        return Self.areEqual(username, theirs)
    }

    /// Whether two names are equal, ignoring case. Names that are already equal, as they usually are, are not
    /// converted.
    private static func areEqual(_ name: String, _ other: String) -> Bool {
        name == other || name.lowercased() == other.lowercased()
    }

    /// Always 0: equal accounts need equal hashes, and two accounts can be equal by identifier or by user name.
    open override var hash: Int { 0 }
}

extension MSALAccount {
    /// Makes the account that the broker reports as signed in, with its one tenant profile (ACC-3, ACC-4).
    package convenience init(_ record: AccountRecord) {
        let home = MSALAccountId(identifier: record.homeAccountID).tenantId
        let isHome = home != nil && home?.lowercased() == record.realm.lowercased()
        let claims = ClaimSet(record.idTokenClaims)?.forApps
        let profile = MSALTenantProfile(
            identifier: record.localAccountID, environment: record.environment, tenantId: record.realm,
            isHomeTenantProfile: isHome, claims: claims)
        self.init(
            identifier: record.homeAccountID, username: record.username, environment: record.environment,
            accountClaims: isHome ? claims : nil, tenantProfiles: [profile], isSSOAccount: true)
    }
}

extension MSALAccount: CustomReflectable {
    /// An empty mirror, so that dumping an account into a log reveals no name.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
