// SPDX-License-Identifier: Apache-2.0

/// A pattern of web addresses that means the same to Chromium and to Firefox.
///
/// | pattern | matches |
/// |---|---|
/// | `*` | every address |
/// | `example.org` | the host and every name below it, over `http` and `https` |
/// | `.example.org` | the host alone |
/// | `https://example.org` | the same over one scheme |
/// | `example.org/shop` | paths that begin with `/shop` |
///
/// Neither browser reports a pattern that it cannot read: it ignores it, and a blocked address is open. So everything else is
/// refused here: other wildcards, ports (Firefox knows none), user names, queries and other schemes.
package struct AddressPattern: Sendable, Hashable {
    /// The pattern as it was written.
    package let text: String
    let scheme: String?
    /// Nil: every host.
    let host: String?
    /// Whether names below ``host`` match as well.
    let hasSubdomains: Bool
    /// Empty, or a prefix that begins with `/`.
    let path: String

    package static let maximumBytes = 1024

    /// - Throws: ``BrowserConfigurationFailure`` with the code `browser_pattern_invalid`.
    package init(_ text: String) throws(BrowserConfigurationFailure) {
        guard text.utf8.count <= Self.maximumBytes else { throw Self.failure("is longer than 1024 bytes") }
        self.text = text
        guard text != "*" else {
            (scheme, host, hasSubdomains, path) = (nil, nil, true, "")
            return
        }
        var rest = text[...]
        scheme = ["https", "http"].first { rest.lowercased().hasPrefix($0 + "://") }
        if let scheme { rest = rest.dropFirst(scheme.count + 3) }
        guard !rest.contains("://") else { throw Self.failure("has another scheme than http or https") }
        let authority = rest.prefix { $0 != "/" }
        path = String(rest.dropFirst(authority.count))
        hasSubdomains = !authority.hasPrefix(".")
        let name = authority.drop { $0 == "." }
        guard authority.count - name.count <= 1 else { throw Self.failure("begins with more than one dot") }
        guard !text.contains("*") else { throw Self.failure("has a * that does not stand alone") }
        guard let place = HostAndPort(name) else { throw Self.failure("names no host") }
        guard place.port == nil else { throw Self.failure("names a port, which Firefox does not match") }
        guard path.utf8.allSatisfy(Self.allowedInPath.contains) else {
            throw Self.failure("has a query, or a character in its path that must be encoded")
        }
        host = place.host
    }

    private static func failure(_ cause: String) -> BrowserConfigurationFailure {
        BrowserConfigurationFailure(
            .pattern, "the pattern \(cause)",
            remedy:
                "Write *, or a host such as example.org, .example.org (without the names below it) or https://example.org/shop."
        )
    }

    /// RFC 3986 section 3.3, less `*`, which Firefox takes for a wildcard.
    private static let allowedInPath = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/@!$&'()+,;=%".utf8)

    /// As in Chromium's `URLBlocklist` and `URLAllowlist`.
    var chromium: String {
        guard let host else { return "*" }
        return (scheme.map { $0 + "://" } ?? "") + (hasSubdomains ? "" : ".") + host + path
    }

    /// As in Firefox's `WebsiteFilter`: one match pattern.
    var firefox: String {
        guard let host else { return "<all_urls>" }
        // An address has no names below it, and Firefox refuses a wildcard in front of one in brackets.
        let isName = !host.hasPrefix("[") && host.last?.isNumber != true
        return (scheme ?? "*") + "://" + (hasSubdomains && isName ? "*." : "") + host + (path.isEmpty ? "/" : path)
            + "*"
    }

    /// Whether the address is one that the pattern names; what a browser decides, decided before it is asked.
    package func matches(_ address: WebAddress) -> Bool {
        guard let host else { return true }
        let isSame = address.host == host || hasSubdomains && address.host.hasSuffix("." + host)
        return isSame && (scheme == nil || address.scheme == scheme) && address.path.hasPrefix(path)
    }
}

extension WebAddress {
    /// In lower case.
    var scheme: String { text.prefix { $0 != ":" }.lowercased() }
    /// The path, `/` where there is none, without query and fragment.
    var path: String {
        let rest = text.dropFirst(scheme.count + 3).drop { !"/?#".contains($0) }.prefix { !"?#".contains($0) }
        return rest.isEmpty ? "/" : String(rest)
    }
}
