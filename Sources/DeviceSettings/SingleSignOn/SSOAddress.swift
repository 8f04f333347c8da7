// SPDX-License-Identifier: Apache-2.0

/// An https address, parsed so strictly that no two parsers can interpret it differently.
///
/// The broker compares addresses with a list before it gives a browser a credential. An address that a browser, a proxy
/// or a server might read differently is refused, not normalised.
package struct SSOAddress: Sendable, Hashable {
    /// Why a text is not such an address. The text itself is not included.
    package enum Failure: String, Error, Sendable, CaseIterable {
        case length = "is empty or longer than 8192 bytes"
        case character = "has a character that an address cannot have"
        case scheme = "does not begin with https://"
        case user = "names a user before its host"
        case host = "has no plain host name"
        case port = "has no port from 1 to 65535"
        case path = "has a path with dot segments or encoded separators"
    }

    /// `https://<host>[:<port>]`, in lower case, without the port 443.
    package let origin: String
    /// Begins with a slash; case-sensitive.
    package let path: String
    package let query: String?

    package static let maximumLength = 8192

    /// Parses an address. The fragment is dropped, because it never leaves the browser.
    package init(_ text: String) throws(Failure) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { throw .length }
        guard text.utf8.allSatisfy(Self.isPlain) else { throw .character }
        let sent = text.prefix { $0 != "#" }
        let scheme = "https://"
        guard sent.prefix(scheme.count).lowercased() == scheme else { throw .scheme }
        let rest = sent.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        origin = try scheme + Self.hostAndPort(authority)
        let target = rest.dropFirst(authority.count)
        let path = target.prefix { $0 != "?" }
        try Self.check(path)
        self.path = path.isEmpty ? "/" : String(path)
        query = target.count > path.count ? String(target.dropFirst(path.count + 1)) : nil
    }

    /// Whether this address begins with `prefix`: the same scheme, host and port, and a path that begins with the
    /// prefix's path.
    package func begins(with prefix: SSOAddress) -> Bool { origin == prefix.origin && path.hasPrefix(prefix.path) }

    /// Whether an address may contain this byte: printable ASCII except double quotation marks, angle, square and curly
    /// brackets, backslashes, carets, grave accents and vertical bars.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\"<>\\^`{|}[]".utf8.contains(byte)
    }

    private static func hostAndPort(_ authority: Substring) throws(Failure) -> String {
        guard !authority.contains("@") else { throw .user }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let host = parts[0].lowercased()
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.allSatisfy(isLabel) else { throw .host }
        guard parts.count == 2 else { return host }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), parts[1].first != "0",
            let port = UInt16(parts[1])
        else {
            throw .port
        }
        return port == 443 ? host : "\(host):\(port)"
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }

    /// Refuses a path with parts that some parsers resolve or decode and others do not.
    private static func check(_ path: Substring) throws(Failure) {
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else { throw .path }
        for rest in path.split(separator: "%", omittingEmptySubsequences: false).dropFirst() {
            guard let byte = UInt8(rest.prefix(2), radix: 16), rest.utf8.count >= 2, rest.first != "+", byte >= 0x20,
                byte != 0x7f, !"./\\%".utf8.contains(byte)
            else { throw .path }
        }
    }
}

extension SSOAddress {
    private static let nonceName = "sso_nonce="
    private static let maximumNonce = 256

    /// The nonce that the identity platform put into the address for the browser's credential; nil if there is not
    /// exactly one.
    package var nonce: String? {
        let given = (query ?? "").split(separator: "&").filter { $0.hasPrefix(Self.nonceName) }
        guard given.count == 1, let nonce = given.first?.dropFirst(Self.nonceName.count),
            (1...Self.maximumNonce).contains(nonce.utf8.count), nonce.utf8.allSatisfy(Self.isBase64URL)
        else { return nil }
        return String(nonce)
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
        default: false
        }
    }
}
