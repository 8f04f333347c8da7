// SPDX-License-Identifier: Apache-2.0

/// How an app presents its token.
#if canImport(ObjectiveC)
    @objc(MSALAuthenticationSchemeProtocol)
#endif
public protocol MSALAuthenticationSchemeProtocol: NSObjectProtocol {
    /// The scheme.
    var scheme: MSALAuthScheme { get }
    /// The scheme's name in an `Authorization` header.
    var authenticationScheme: String { get }
}
