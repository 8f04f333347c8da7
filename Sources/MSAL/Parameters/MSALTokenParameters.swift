// SPDX-License-Identifier: Apache-2.0

/// The parameters of token requests.
#if canImport(ObjectiveC)
    @objc(MSALTokenParameters) @objcMembers
#endif
open class MSALTokenParameters: MSALParameters {
    /// The requested permissions, without `openid`, `profile` and `offline_access`, which the library adds.
    open var scopes: [String]
    /// The account for which the token is requested.
    open var account: MSALAccount?
    /// The authority to use; nil uses the authority of the application.
    open var authority: MSALAuthority?
    /// Claims to request; they bypass every cached token.
    open var claimsRequest: MSALClaimsRequest?
    /// Parameters that the broker adds to its request to the identity platform.
    open var extraQueryParameters: [String: String]?
    /// The id that identifies the request in app, broker and server; if nil, the library generates an id.
    open var correlationId: UUID?
    /// How the app presents the token; nil means ``MSALAuthenticationSchemeBearer``.
    open var authenticationScheme: (any MSALAuthenticationSchemeProtocol)? = MSALAuthenticationSchemeBearer()

    /// Requests `scopes`.
    public init(scopes: [String]) {
        self.scopes = scopes
        super.init()
    }
}

extension MSALTokenParameters: CustomReflectable {
    /// An empty mirror, so that dumping parameters into a log reveals no name.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
