// SPDX-License-Identifier: Apache-2.0

/// The settings that identify an app to the identity platform and to the broker.
///
/// An application copies its configuration when it is made; later changes have no effect on it (INIT-7).
#if canImport(ObjectiveC)
    @objc(MSALPublicClientApplicationConfig) @objcMembers
#endif
open class MSALPublicClientApplicationConfig: NSObject, NSCopying {
    /// The client id from the app's registration.
    open var clientId: String
    /// The redirect URI from the app's registration, `msauth.<app id>://auth`.
    open var redirectUri: String?
    /// The authority for calls that do not specify an authority.
    open var authority: MSALAuthority
    /// The authorities that the app declares as trustworthy; empty by default. The list does not affect calls (BRK-2).
    open var knownAuthorities: [MSALAuthority] = []
    /// The app's capabilities beyond plain tokens, such as `CP1` for claims challenges.
    open var clientApplicationCapabilities: [String]?
    /// A cached token counts as expired this many seconds before it expires; 300 by default (SIL-8).
    ///
    /// The broker decides when it renews a token, so the value has no effect.
    open var tokenExpirationBuffer: Double = 300
    /// Whether to accept any redirect URI. If true, the application cannot use the broker (INIT-8).
    open var bypassRedirectURIValidation = false
    /// The broker connection to use instead of the process's own, for tests.
    package var broker: BrokerConnection?
    private var cache: MSALCacheConfig

    /// Makes a configuration without a redirect URI and with the authority `https://login.microsoftonline.com/common`.
    public convenience init(clientId: String) { self.init(clientId: clientId, redirectUri: nil, authority: nil) }

    /// Makes a configuration; the default authority is `https://login.microsoftonline.com/common`.
    public init(clientId: String, redirectUri: String?, authority: MSALAuthority?) {
        self.clientId = clientId
        self.redirectUri = redirectUri
        self.authority = authority ?? MSALAADAuthority.common
        cache = MSALCacheConfig(keychainSharingGroup: MSALCacheConfig.defaultKeychainSharingGroup())
        super.init()
    }

    /// The token cache settings of Apple's systems. They have no effect.
    open var cacheConfig: MSALCacheConfig { cache }

    /// Returns an independent copy.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    func duplicate() -> MSALPublicClientApplicationConfig {
        let copy = MSALPublicClientApplicationConfig(
            clientId: clientId, redirectUri: redirectUri, authority: authority)
        copy.knownAuthorities = knownAuthorities
        copy.clientApplicationCapabilities = clientApplicationCapabilities
        copy.tokenExpirationBuffer = tokenExpirationBuffer
        copy.bypassRedirectURIValidation = bypassRedirectURIValidation
        copy.broker = broker
        copy.cache = cache.duplicate()
        return copy
    }
}
