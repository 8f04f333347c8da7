// SPDX-License-Identifier: Apache-2.0

/// Whom an app trusts to sign people in: an identity platform and a tenant of it.
#if canImport(ObjectiveC)
    @objc(MSALAuthority) @objcMembers
#endif
open class MSALAuthority: NSObject, NSCopying, MSALAuthorityFromURL, @unchecked Sendable {
    // Unchecked because the class is open; everything in it is constant.

    /// The normalised address, `https://<host>/<tenant>`.
    public let url: URL

    init(normalized url: URL) { self.url = url }

    /// The object itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is an authority of the same type and normalised address (AUT-5).
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MSALAuthority else { return false }
        return type(of: self) == type(of: other) && url == other.url
    }

    /// The hash of the normalised address.
    open override var hash: Int { url.hashValue }

    #if canImport(ObjectiveC)
        /// What `MSALAuthority(url:)` is in Swift.
        @objc(authorityWithURL:error:)
        public class func authority(url: URL) throws -> MSALAuthority { try MSALAuthority(url: url) }
    #endif
}
