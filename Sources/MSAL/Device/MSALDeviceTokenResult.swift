// SPDX-License-Identifier: Apache-2.0

/// A token of the device itself, with no user in it.
#if canImport(ObjectiveC)
    @objc(MSALDeviceTokenResult) @objcMembers
#endif
open class MSALDeviceTokenResult: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after it was made.

    /// The access token.
    open private(set) var accessToken: String
    /// What the identity platform says of the device, a JWT (RFC 7519).
    open private(set) var deviceInformation: String?
    /// When the access token expires.
    open private(set) var expiresOn: Date?
    /// The scopes that were granted.
    open private(set) var scopes: [String]
    /// The authority that made the token.
    open private(set) var authority: MSALAuthority?

    /// Makes a result of its parts.
    public init(
        accessToken: String, deviceInformation: String?, expiresOn: Date?, scopes: [String], authority: MSALAuthority?
    ) {
        self.accessToken = accessToken
        self.deviceInformation = deviceInformation
        self.expiresOn = expiresOn
        self.scopes = scopes
        self.authority = authority
    }
}

extension MSALDeviceTokenResult: CustomReflectable {
    /// Shows nothing, so that dumping a result into a log gives no token away.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
