// SPDX-License-Identifier: Apache-2.0

/// The address of an authority, checked and normalised to `https://<host>/<tenant>` (AUT-1).
struct AuthorityURL {
    let normalized: URL

    /// Checks `url`. If `rawTenant` is given, it replaces the tenant of `url`.
    init(_ url: URL, rawTenant: String? = nil) throws(Fault) {
        guard url.scheme?.lowercased() == "https" else { throw Self.invalid("is not https") }
        guard let host = url.host?.lowercased(), !host.isEmpty else { throw Self.invalid("has no host") }
        guard let tenant = url.pathComponents.dropFirst().first else { throw Self.invalid("names no tenant") }
        guard !["adfs", "tfp"].contains(tenant.lowercased()), !Self.isCIAM(host) else {
            throw Self.invalid("belongs to AD FS, B2C or an external tenant, which Baton does not support")
        }
        try self.init(host: host, port: url.port, tenant: rawTenant ?? tenant)
    }

    /// Makes the address from its parts.
    init(host: String, port: Int? = nil, tenant: String) throws(Fault) {
        guard !tenant.isEmpty, tenant.unicodeScalars.allSatisfy(Self.tenantCharacters.contains) else {
            throw Self.invalid("names a tenant that is neither an id nor a domain")
        }
        var parts = URLComponents()
        parts.scheme = "https"
        parts.host = host
        parts.port = port
        parts.path = "/\(tenant)"
        guard let normalized = parts.url, normalized.host == host else { throw Self.invalid("has no host") }
        self.normalized = normalized
    }

    private static let tenantCharacters = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".unicodeScalars)

    private static func isCIAM(_ host: String) -> Bool { host == "ciamlogin.com" || host.hasSuffix(".ciamlogin.com") }

    private static func invalid(_ reason: String) -> Fault {
        Fault(.authority, detail: "It \(reason).")
    }
}
