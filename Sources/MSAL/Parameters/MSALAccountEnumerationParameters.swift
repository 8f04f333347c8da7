// SPDX-License-Identifier: Apache-2.0

/// Which accounts a list should hold; conditions add up, and case does not matter (ENUM-7).
#if canImport(ObjectiveC)
    @objc(MSALAccountEnumerationParameters) @objcMembers
#endif
open class MSALAccountEnumerationParameters: MSALParameters {
    /// The account's identifier, where that was given.
    public let identifier: String?
    /// The identifier of one of the account's tenant profiles, where that was given.
    public let tenantProfileIdentifier: String?
    /// The account's user name, where that was given.
    public let username: String?
    /// Whether to leave out accounts that are known but not signed in (ENUM-8).
    ///
    /// Nothing is kept of accounts that are not signed in, so that both values mean the same.
    open var returnOnlySignedInAccounts = true

    /// Asks for every account.
    public override init() {
        identifier = nil
        tenantProfileIdentifier = nil
        username = nil
        super.init()
    }

    /// Asks for the account `identifier`.
    public init(identifier: String) {
        self.identifier = identifier
        tenantProfileIdentifier = nil
        username = nil
        super.init()
    }

    /// Asks for the account of the name `username`, which must also be `identifier` where that is given.
    public init(identifier: String?, username: String) {
        self.identifier = identifier
        tenantProfileIdentifier = nil
        self.username = username
        super.init()
    }

    /// Asks for the account that has the tenant profile `tenantProfileIdentifier`.
    public init(tenantProfileIdentifier: String) {
        identifier = nil
        self.tenantProfileIdentifier = tenantProfileIdentifier
        username = nil
        super.init()
    }
}

extension MSALAccountEnumerationParameters: CustomReflectable {
    /// Shows nothing, so that dumping parameters into a log names nobody.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
