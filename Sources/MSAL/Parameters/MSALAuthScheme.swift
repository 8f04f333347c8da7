// SPDX-License-Identifier: Apache-2.0

/// How an app presents an access token to a resource.
#if canImport(ObjectiveC)
    @objc(MSALAuthScheme)
#endif
public enum MSALAuthScheme: UInt, Sendable {
    /// Anyone who has the token may use it.
    case bearer = 0
    /// The token is bound to a key. The broker does not issue such tokens.
    case pop = 1
}
