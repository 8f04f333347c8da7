// SPDX-License-Identifier: Apache-2.0
internal import Encodings

/// The address of a page on the web: `http` or `https`, a host, and no user name.
///
/// The text has only characters that a URL may contain unencoded (RFC 3986). It is therefore safe in a quoted attribute
/// of a page once `&` and `'` are encoded. Because it begins with its scheme, no program takes it for a command-line
/// option.
package struct WebAddress: Sendable, Hashable {
    /// The address as it was written.
    package let text: String
    /// The host in lower case: a name, an IPv4 address, or an IPv6 address in brackets.
    package let host: String
    /// The port, if the address names one.
    let port: UInt16?

    /// The scheme in lower case.
    var scheme: String { text.prefix { $0 != ":" }.lowercased() }

    /// The length of the longest accepted address, in bytes.
    package static let maximumBytes = 2048

    /// - Throws: ``BrowserConfigurationFailure`` with the code `browser_address_invalid`.
    package init(_ text: String) throws(BrowserConfigurationFailure) {
        guard text.utf8.count <= Self.maximumBytes else { throw Self.failure("is longer than 2048 bytes") }
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            throw Self.failure("does not begin with https:// or http://")
        }
        guard text.utf8.allSatisfy(Self.allowed.contains), Self.hasWholeEscapes(text) else {
            throw Self.failure("holds a character that must be encoded")
        }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { throw Self.failure("holds a user name") }
        guard let host = HostAndPort(authority) else { throw Self.failure("has no host, or an invalid port") }
        self.text = text
        (self.host, port) = (host.host, host.port)
    }

    private static func failure(_ cause: String) -> BrowserConfigurationFailure {
        BrowserConfigurationFailure(
            .address, "the address \(cause)", remedy: "Write it in full, such as https://portal.example.org/.")
    }

    /// The characters of a URL (RFC 3986, appendix A).
    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%".utf8)

    private static func hasWholeEscapes(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            bytes[index] != UInt8(ascii: "%")
                || index + 2 < bytes.count && Hexadecimal.value(bytes[index + 1]) != nil
                    && Hexadecimal.value(bytes[index + 2]) != nil
        }
    }
}

/// The part of an address that names a machine: a host and an optional port.
struct HostAndPort {
    /// The host in lower case.
    let host: String
    let port: UInt16?

    init?(_ authority: Substring) {
        let text = authority.lowercased()
        let end: String.Index
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            end = text.index(after: bracket)
        } else {
            end = text.firstIndex(of: ":") ?? text.endIndex
        }
        host = String(text[..<end])
        guard Self.isHost(host) else { return nil }
        let rest = text[end...]
        guard !rest.isEmpty else {
            port = nil
            return
        }
        let digits = rest.dropFirst().utf8
        guard rest.hasPrefix(":"), (1...5).contains(digits.count), digits.allSatisfy(Self.isDigit),
            let number = UInt16(String(rest.dropFirst())), number > 0
        else { return nil }
        port = number
    }

    /// Returns whether the text is a host name (RFC 1123), an IPv4 address or an IPv6 address in brackets. Letters must
    /// be in lower case.
    static func isHost(_ text: String) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let inner = text.dropFirst().dropLast().utf8
            return (2...45).contains(inner.count) && inner.contains(UInt8(ascii: ":"))
                && inner.allSatisfy {
                    Hexadecimal.value($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
                }
        }
        guard (1...253).contains(text.utf8.count) else { return false }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") }
        }
        guard areLabels else { return false }
        // Browsers refuse a host that ends in a number and is not an IPv4 address (WHATWG URL, "ends in a number").
        guard labels.last?.utf8.allSatisfy(isDigit) == true else { return true }
        return labels.count == 4 && labels.allSatisfy { UInt8($0) != nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}
