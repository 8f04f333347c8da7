// SPDX-License-Identifier: Apache-2.0

/// A pattern of web addresses that means the same to Chromium and to Firefox.
///
/// | pattern | matches |
/// |---|---|
/// | `*` | every address |
/// | `example.org` | the host and every name below it, over `http` and `https` |
/// | `.example.org` | the host alone |
/// | `https://example.org` | the host and every name below it, over this scheme only |
/// | `example.org/shop` | paths that begin with `/shop` |
///
/// Both browsers silently ignore a pattern that they cannot read, so a blocked address would stay open. Patterns of
/// every other form are therefore refused: other wildcards, ports (Firefox does not match them), user names, queries
/// and other schemes. One difference remains: Firefox ignores the case of a path.
package struct AddressPattern: Sendable, Hashable {
    /// The pattern as it was written.
    package let text: String
    let scheme: String?
    /// The host in lower case; nil matches every host.
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

    /// The pattern of one host, without the names below it.
    init(scheme: String, host: String) {
        (self.scheme, self.host, hasSubdomains, path) = (scheme, host, false, "")
        text = "\(scheme)://.\(host)"
    }

    private static func failure(_ cause: String) -> BrowserConfigurationFailure {
        BrowserConfigurationFailure(
            .pattern, "the pattern \(cause)",
            remedy:
                "Write *, or a host such as example.org, .example.org (without the names below it) or https://example.org/shop."
        )
    }

    /// The characters of a path (RFC 3986 section 3.3) without `*`, which Firefox treats as a wildcard.
    private static let allowedInPath = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/@!$&'()+,;=%".utf8)

    /// The pattern in the form of Chromium's `URLBlocklist` and `URLAllowlist`.
    var chromium: String { chromium(scheme: scheme) }

    /// Returns the pattern in the form of Chromium's lists, for one scheme.
    func chromium(scheme: String?) -> String {
        guard host != nil else { return "*" }
        return (scheme.map { $0 + "://" } ?? "") + chromiumHost + path
    }

    /// The host in the form of Chromium's lists. A dot before a name excludes the names below it; an IP address gets no
    /// dot.
    var chromiumHost: String {
        guard let host else { return "*" }
        return (hasSubdomains || isAddress ? "" : ".") + host
    }

    /// The pattern in the form of Firefox's `WebsiteFilter`: one match pattern.
    var firefox: String {
        guard let host else { return "<all_urls>" }
        // Firefox refuses a wildcard before an address in brackets.
        return (scheme ?? "*") + "://" + (isOneHost ? "" : "*.") + host + (path.isEmpty ? "/" : path) + "*"
    }

    /// Whether the pattern matches one host only. An IP address has no subdomains.
    private var isOneHost: Bool { host != nil && (!hasSubdomains || isAddress) }

    /// Whether the host is an IP address.
    private var isAddress: Bool {
        guard let host else { return false }
        // A host whose last label is a number is an IPv4 address (`HostAndPort`).
        return host.hasPrefix("[") || host.split(separator: ".").last?.allSatisfy(\.isNumber) == true
    }

    /// Returns whether the pattern matches the address, without asking a browser.
    package func matches(_ address: WebAddress) -> Bool {
        matches(host: address.host) && matches(scheme: address.scheme) && address.path.hasPrefix(path)
    }

    func matches(scheme other: String) -> Bool { scheme == nil || scheme == other }

    private func matches(host other: String) -> Bool {
        guard let host else { return true }
        return other == host || hasSubdomains && other.hasSuffix("." + host)
    }

    /// Returns whether Chromium blocks an address that both patterns match, if this pattern is blocked and `other` is
    /// allowed. Firefox never blocks such an address.
    ///
    /// Chromium follows the most specific pattern (`FilterTakesPrecedence` in its `url_blocklist_manager.cc`): a
    /// pattern of one host before a pattern with subdomains, then the longer host, then the longer path. In a tie it
    /// follows the allowed pattern. A blocked `*` comes last.
    func takesPrecedence(over other: AddressPattern) -> Bool {
        guard let host, overlaps(other) else { return false }
        guard let otherHost = other.host else { return true }
        guard isOneHost == other.isOneHost else { return isOneHost }
        return (host.utf8.count, path.utf8.count) > (otherHost.utf8.count, other.path.utf8.count)
    }

    /// Returns whether there is an address that both patterns match.
    private func overlaps(_ other: AddressPattern) -> Bool {
        guard let host, let otherHost = other.host else { return true }
        return (matches(host: otherHost) || other.matches(host: host))
            && (other.scheme.map { matches(scheme: $0) } ?? true)
            && (path.hasPrefix(other.path) || other.path.hasPrefix(path))
    }
}

extension WebAddress {
    /// The path without query and fragment; `/` if there is none.
    var path: String {
        let rest = text.dropFirst(scheme.count + 3).drop { !"/?#".contains($0) }.prefix { !"?#".contains($0) }
        return rest.isEmpty ? "/" : String(rest)
    }
}
