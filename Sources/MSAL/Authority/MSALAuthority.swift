// SPDX-License-Identifier: Apache-2.0

/// A host and tenant that an app trusts to sign users in.
#if canImport(ObjectiveC)
    @objc(MSALAuthority) @objcMembers
#endif
open class MSALAuthority: NSObject, NSCopying, MSALAuthorityFromURL, @unchecked Sendable {
    // Unchecked because the class is open; everything in it is constant.

    /// The normalised address, `https://<host>/<tenant>`.
    public let url: URL

    /// ``url`` as text, and its host.
    let text: String
    let host: String
    /// Whether the address names an organisation rather than `common`, `consumers` or `organizations`.
    let namesOrganisation: Bool

    init(normalized url: URL) {
        self.url = url
        text = url.absoluteString
        host = url.host ?? ""
        namesOrganisation = !["common", "consumers", "organizations"].contains(url.lastPathComponent.lowercased())
    }

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is an authority of the same class with the same normalised address (AUT-5).
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MSALAuthority else { return false }
        return type(of: self) == type(of: other) && url == other.url
    }

    /// The hash of the normalised address.
    open override var hash: Int { url.hashValue }

    #if canImport(ObjectiveC)
        /// The Objective-C form of `MSALAuthority(url:)`.
        @objc(authorityWithURL:error:)
        public class func authority(url: URL) throws -> MSALAuthority { try MSALAuthority(url: url) }
    #endif
}
