// SPDX-License-Identifier: Apache-2.0

/// The scheme for bearer tokens (RFC 6750), the only scheme that this library supports.
#if canImport(ObjectiveC)
    @objc(MSALAuthenticationSchemeBearer) @objcMembers
#endif
open class MSALAuthenticationSchemeBearer: NSObject, MSALAuthenticationSchemeProtocol, @unchecked Sendable {
    // Unchecked because the class is open; it has no properties.

    /// Makes the scheme, which has no settings.
    public override init() { super.init() }

    /// Always ``MSALAuthScheme/bearer``.
    open var scheme: MSALAuthScheme { .bearer }

    /// Always `Bearer`.
    open var authenticationScheme: String { "Bearer" }
}
