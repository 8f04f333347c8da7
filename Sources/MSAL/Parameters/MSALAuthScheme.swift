// SPDX-License-Identifier: Apache-2.0

/// How an access token is shown to the resource that it is for.
#if canImport(ObjectiveC)
    @objc(MSALAuthScheme)
#endif
public enum MSALAuthScheme: UInt, Sendable {
    /// Whoever bears the token may use it.
    case bearer = 0
    /// The token is bound to a key; the broker hands out no such tokens.
    case pop = 1
}
