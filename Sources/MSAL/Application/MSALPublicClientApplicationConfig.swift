// SPDX-License-Identifier: Apache-2.0

/// What makes an app known to the identity platform and to the broker.
///
/// An application takes a copy when it is made; later changes have no effect on it (INIT-7).
#if canImport(ObjectiveC)
    @objc(MSALPublicClientApplicationConfig) @objcMembers
#endif
open class MSALPublicClientApplicationConfig: NSObject, NSCopying {
    /// The client id of the app's registration.
    open var clientId: String
    /// The redirect URI of the app's registration, `msauth.<app id>://auth`.
    open var redirectUri: String?
    /// The authority that the app uses where a call names no other.
    open var authority: MSALAuthority
    /// Authorities that the app knows to be trustworthy; none at first.
    open var knownAuthorities: [MSALAuthority] = []
    /// What the app can deal with beyond plain tokens, such as `CP1` for claims challenges.
    open var clientApplicationCapabilities: [String]?
    /// How many seconds early a cached token counts as expired, 300 at first (SIL-8).
    open var tokenExpirationBuffer: Double = 300
    /// Whether any redirect URI will do; an application made so cannot use the broker (INIT-8).
    open var bypassRedirectURIValidation = false
    /// The broker to ask instead of the process's own, for tests.
    package var broker: BrokerConnection?
    private var cache: MSALCacheConfig

    /// Configures an app without a redirect URI, with the authority `https://login.microsoftonline.com/common`.
    public convenience init(clientId: String) { self.init(clientId: clientId, redirectUri: nil, authority: nil) }

    /// Configures an app; without an authority it is `https://login.microsoftonline.com/common`.
    public init(clientId: String, redirectUri: String?, authority: MSALAuthority?) {
        self.clientId = clientId
        self.redirectUri = redirectUri
        self.authority = authority ?? MSALAADAuthority.common
        cache = MSALCacheConfig(keychainSharingGroup: MSALCacheConfig.defaultKeychainSharingGroup())
        super.init()
    }

    /// Where tokens would be kept on Apple's systems.
    open var cacheConfig: MSALCacheConfig { cache }

    /// A copy that can be changed without effect on this one.
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
