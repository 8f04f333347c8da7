// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Makes the authorities of home tenants at one host. Caches only the last authority that it made, because a device has
/// one worker at a time.
final class HomeAuthorities: Sendable {
    private let url: URL
    private let last = Mutex<(tenant: String, authority: MSALAADAuthority)?>(nil)

    /// Makes an object for the tenants at the host of `url`.
    init(_ url: URL) { self.url = url }

    /// Returns the authority of `tenant`; nil if `tenant` is neither an id nor a domain.
    func authority(of tenant: String) -> MSALAADAuthority? {
        if let last = last.withLock({ $0 }), last.tenant == tenant { return last.authority }
        guard let address = try? AuthorityURL(url, rawTenant: tenant) else { return nil }
        let authority = MSALAADAuthority(normalized: address.normalized)
        last.withLock { $0 = (tenant, authority) }
        return authority
    }
}
