// SPDX-License-Identifier: Apache-2.0

// What versions 1.x had and 2.0 took away, for source that still calls it.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALPublicClientApplication {
    /// Makes an application of a client id and an authority.
    ///
    /// - Throws: an `NSError` -50000/-42011, for a redirect URI must be given.
    @available(*, deprecated, message: "Use init(configuration:).")
    public convenience init(clientId: String, authority: MSALAuthority?) throws {
        try self.init(clientId: clientId, authority: authority, redirectUri: nil)
    }

    /// Makes an application of a client id, an authority and a redirect URI.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``, as `init(configuration:)` does.
    @available(*, deprecated, message: "Use init(configuration:).")
    public convenience init(clientId: String, authority: MSALAuthority?, redirectUri: String?) throws {
        try self.init(
            configuration: MSALPublicClientApplicationConfig(
                clientId: clientId, redirectUri: redirectUri, authority: authority))
    }

    /// Makes an application of a client id, an authority, a redirect URI and a keychain group, which has no effect.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``, as `init(configuration:)` does.
    @available(*, deprecated, message: "Use init(configuration:).")
    public convenience init(
        clientId: String, keychainGroup: String?, authority: MSALAuthority?, redirectUri: String?
    ) throws {
        try self.init(clientId: clientId, authority: authority, redirectUri: redirectUri)
    }

    /// The account with this identifier, where it is signed in.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``, as `account(forIdentifier:)` does.
    @available(*, deprecated, renamed: "account(forIdentifier:)")
    public func account(forHomeAccountId identifier: String) throws -> MSALAccount {
        try account(forIdentifier: identifier)
    }

    /// Finds out which accounts are signed in on the device.
    @available(*, deprecated, message: "Use accountsFromDevice(for:completionBlock:).")
    @preconcurrency
    public func allAccountsFiltered(
        byAuthority completionBlock: @escaping @Sendable ([MSALAccount]?, (any Error)?) -> Void
    ) {
        accountsFromDevice(for: MSALAccountEnumerationParameters(), completionBlock: completionBlock)
    }

    /// Takes a URL that another app opened, which never belongs to a sign-in here.
    @available(*, deprecated, renamed: "handleMSALResponse(_:sourceApplication:)")
    public class func handleMSALResponse(_ response: URL) -> Bool {
        handleMSALResponse(response, sourceApplication: nil)
    }
}
