// SPDX-License-Identifier: Apache-2.0

/// The conditions for listing accounts. All given conditions must hold; case does not matter (ENUM-7).
#if canImport(ObjectiveC)
    @objc(MSALAccountEnumerationParameters) @objcMembers
#endif
open class MSALAccountEnumerationParameters: MSALParameters {
    /// The identifier of the account; nil accepts any.
    public let identifier: String?
    /// The identifier of one of the account's tenant profiles; nil accepts any.
    public let tenantProfileIdentifier: String?
    /// The user name of the account; nil accepts any.
    public let username: String?
    /// Whether to leave out accounts that are known but not signed in (ENUM-8).
    ///
    /// The broker keeps no accounts that are not signed in, so the value has no effect.
    open var returnOnlySignedInAccounts = true

    /// Matches every account.
    public override init() {
        identifier = nil
        tenantProfileIdentifier = nil
        username = nil
        super.init()
    }

    /// Matches the account with this identifier.
    public init(identifier: String) {
        self.identifier = identifier
        tenantProfileIdentifier = nil
        username = nil
        super.init()
    }

    /// Matches the account with this user name and, if given, this identifier.
    public init(identifier: String?, username: String) {
        self.identifier = identifier
        tenantProfileIdentifier = nil
        self.username = username
        super.init()
    }

    /// Matches the account that has this tenant profile.
    public init(tenantProfileIdentifier: String) {
        identifier = nil
        self.tenantProfileIdentifier = tenantProfileIdentifier
        username = nil
        super.init()
    }
}

extension MSALAccountEnumerationParameters: CustomReflectable {
    /// An empty mirror, so that dumping parameters into a log reveals no name.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
