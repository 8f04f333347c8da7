// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import JSON

/// A worker's account as apps see it.
#if canImport(ObjectiveC)
    @objc(MSALAccount) @objcMembers
#endif
open class MSALAccount: NSObject, MSALAccountProtocol, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after it was made.

    /// The name to show; nil for a worker who has signed out, of whom only the identifier is kept.
    open private(set) var username: String?
    /// `<object id>.<tenant id>`, the same in all apps.
    open private(set) var identifier: String?
    /// The host of the identity platform.
    open private(set) var environment: String
    /// The claims of the home tenant's id token, where one is known (ACC-4).
    open private(set) var accountClaims: [String: Any]?
    /// The account in each tenant; nil for an account that came with a token (ACC-3).
    open private(set) var tenantProfiles: [MSALTenantProfile]?
    /// Whether the broker holds the account; false for a worker who has signed out.
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

    /// ``identifier`` in its parts (ACC-1).
    open var homeAccountId: MSALAccountId? { identifier.map(MSALAccountId.init(identifier:)) }

    /// The object itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is the same account: by identifier or, if one has none, by user name, whatever the case (ACC-2).
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MSALAccount else { return false }
        if let identifier, let theirs = other.identifier { return identifier.lowercased() == theirs.lowercased() }
        guard let username, let theirs = other.username else { return self === other }
        return username.lowercased() == theirs.lowercased()
    }

    /// The same for all: equality by identifier or by name leaves no finer hash.
    open override var hash: Int { 0 }
}

extension MSALAccount {
    /// An account that the broker says is signed in, with its one tenant profile (ACC-3, ACC-4).
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
    /// Shows nothing, so that dumping an account into a log names nobody.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
