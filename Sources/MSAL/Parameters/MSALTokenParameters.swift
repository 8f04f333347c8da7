// SPDX-License-Identifier: Apache-2.0

/// What calls for a token take.
#if canImport(ObjectiveC)
    @objc(MSALTokenParameters) @objcMembers
#endif
open class MSALTokenParameters: MSALParameters {
    /// The permissions asked for, without `openid`, `profile` and `offline_access`, which the library adds.
    open var scopes: [String]
    /// The account that is meant.
    open var account: MSALAccount?
    /// The authority to ask; nil is the application's.
    open var authority: MSALAuthority?
    /// Claims to ask for; they pass by every cached token.
    open var claimsRequest: MSALClaimsRequest?
    /// Parameters that the broker adds to the request to the identity platform.
    open var extraQueryParameters: [String: String]?
    /// The id that follows the request through app, broker and server; nil makes a new one.
    open var correlationId: UUID?
    /// How the app will show the token; nil is the same as ``MSALAuthenticationSchemeBearer``.
    open var authenticationScheme: (any MSALAuthenticationSchemeProtocol)? = MSALAuthenticationSchemeBearer()

    /// Asks for `scopes`.
    public init(scopes: [String]) {
        self.scopes = scopes
        super.init()
    }
}

extension MSALTokenParameters: CustomReflectable {
    /// Shows nothing, so that dumping parameters into a log names nobody.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
