// SPDX-License-Identifier: Apache-2.0

/// A token for the device itself, without a user.
#if canImport(ObjectiveC)
    @objc(MSALDeviceTokenResult) @objcMembers
#endif
open class MSALDeviceTokenResult: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after initialization.

    /// The access token.
    open private(set) var accessToken: String
    /// The identity platform's information about the device, as a JWT (RFC 7519).
    open private(set) var deviceInformation: String?
    /// When the access token expires.
    open private(set) var expiresOn: Date?
    /// The scopes that were granted.
    open private(set) var scopes: [String]
    /// The authority that issued the token.
    open private(set) var authority: MSALAuthority?

    /// Makes a result.
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
    /// An empty mirror, so that dumping a result into a log reveals no token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
