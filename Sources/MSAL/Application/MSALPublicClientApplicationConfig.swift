// SPDX-License-Identifier: Apache-2.0

/// What makes an app known to the identity platform and to the broker.
open class MSALPublicClientApplicationConfig: NSObject, NSCopying {
    /// The client id of the app's registration.
    open var clientId: String
    /// The redirect URI of the app's registration, `msauth.<app id>://auth`.
    open var redirectUri: String?
    /// The authority that the app uses where a call names no other.
    open var authority: MSALAuthority

    /// Configures an app; without an authority it is `https://login.microsoftonline.com/common`.
    public init(clientId: String, redirectUri: String?, authority: MSALAuthority?) {
        self.clientId = clientId
        self.redirectUri = redirectUri
        self.authority = authority ?? MSALAADAuthority.common
    }

    @available(*, unavailable, message: "A configuration needs a client id.")
    public override init() {
        clientId = ""
        authority = MSALAADAuthority.common
    }

    /// A copy that can be changed without effect on this one.
    open func copy(with zone: NSZone? = nil) -> Any {
        MSALPublicClientApplicationConfig(clientId: clientId, redirectUri: redirectUri, authority: authority)
    }
}
