// SPDX-License-Identifier: Apache-2.0

// Methods of versions 1.x that 2.0 removed, for source that still calls them.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALPublicClientApplication {
    /// Makes an application with a client id and an authority.
    ///
    /// - Throws: an `NSError` -50000/-42011, because a redirect URI is required.
    @available(*, deprecated, message: "Use init(configuration:).")
    public convenience init(clientId: String, authority: MSALAuthority?) throws {
        try self.init(clientId: clientId, authority: authority, redirectUri: nil)
    }

    /// Makes an application with a client id, an authority and a redirect URI.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``, as `init(configuration:)` does.
    @available(*, deprecated, message: "Use init(configuration:).")
    public convenience init(clientId: String, authority: MSALAuthority?, redirectUri: String?) throws {
        try self.init(
            configuration: MSALPublicClientApplicationConfig(
                clientId: clientId, redirectUri: redirectUri, authority: authority))
    }

    /// Makes an application with a client id, an authority and a redirect URI. The keychain group has no effect.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``, as `init(configuration:)` does.
    @available(*, deprecated, message: "Use init(configuration:).")
    public convenience init(
        clientId: String, keychainGroup: String?, authority: MSALAuthority?, redirectUri: String?
    ) throws {
        try self.init(clientId: clientId, authority: authority, redirectUri: redirectUri)
    }

    /// Returns the signed-in account with this identifier.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``, as `account(forIdentifier:)` does.
    @available(*, deprecated, renamed: "account(forIdentifier:)")
    public func account(forHomeAccountId identifier: String) throws -> MSALAccount {
        try account(forIdentifier: identifier)
    }

    /// Finds the accounts that are signed in on the device.
    @available(*, deprecated, message: "Use accountsFromDevice(for:completionBlock:).")
    @preconcurrency
    public func allAccountsFiltered(
        byAuthority completionBlock: @escaping @Sendable ([MSALAccount]?, (any Error)?) -> Void
    ) {
        accountsFromDevice(for: MSALAccountEnumerationParameters(), completionBlock: completionBlock)
    }

    /// Handles a URL that another app opened. Always returns false.
    @available(*, deprecated, renamed: "handleMSALResponse(_:sourceApplication:)")
    public class func handleMSALResponse(_ response: URL) -> Bool {
        handleMSALResponse(response, sourceApplication: nil)
    }
}
