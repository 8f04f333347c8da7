// SPDX-License-Identifier: Apache-2.0

/// What calls for a token take.
open class MSALTokenParameters: MSALParameters {
    /// The permissions asked for, without `openid`, `profile` and `offline_access`, which the library adds.
    open var scopes: [String]
    /// The account that is meant.
    open var account: MSALAccount?
    /// The authority to ask; nil is the application's.
    open var authority: MSALAuthority?
    /// The id that follows the request through app, broker and server; nil makes a new one.
    open var correlationId: UUID?

    /// Asks for `scopes`.
    public init(scopes: [String]) { self.scopes = scopes }

    @available(*, unavailable, message: "Token parameters need scopes.")
    public override init() { self.scopes = [] }
}
