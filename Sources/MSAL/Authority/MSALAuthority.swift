// SPDX-License-Identifier: Apache-2.0

/// Whom an app trusts to sign people in: an identity platform and a tenant of it.
open class MSALAuthority: NSObject, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open; everything in it is constant.

    /// The normalised address, `https://<host>/<tenant>`.
    public let url: URL

    init(normalized url: URL) { self.url = url }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Two authorities are equal if type and normalised address are (AUT-5).
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MSALAuthority else { return false }
        return type(of: self) == type(of: other) && url == other.url
    }

    open override var hash: Int { url.hashValue }
}
