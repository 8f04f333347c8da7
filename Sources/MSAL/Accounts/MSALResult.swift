// SPDX-License-Identifier: Apache-2.0

/// A token, and whose it is.
open class MSALResult: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; everything in it is constant.

    /// The access token for the scopes that were asked.
    public let accessToken: String
    /// The account that signed in.
    public let account: MSALAccount
    /// When the access token expires.
    public let expiresOn: Date?
    /// The id token, as the identity platform signed it.
    public let idToken: String?
    /// The scopes that were granted.
    public let scopes: [String]
    /// The authority to use for later silent calls.
    public let authority: MSALAuthority
    /// The id that follows this request through app, broker and server.
    public let correlationId: UUID

    init(
        accessToken: String, account: MSALAccount, expiresOn: Date?, idToken: String?, scopes: [String],
        authority: MSALAuthority, correlationId: UUID
    ) {
        self.accessToken = accessToken
        self.account = account
        self.expiresOn = expiresOn
        self.idToken = idToken
        self.scopes = scopes
        self.authority = authority
        self.correlationId = correlationId
    }

    /// The kind of token.
    public var authenticationScheme: String { "Bearer" }

    /// The value of an `Authorization` header; empty without a token (RES-1, RES-2).
    public var authorizationHeader: String { accessToken.isEmpty ? "" : "\(authenticationScheme) \(accessToken)" }
}

extension MSALResult: CustomReflectable {
    /// Shows nothing, so that dumping a result into a log gives no token away.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
