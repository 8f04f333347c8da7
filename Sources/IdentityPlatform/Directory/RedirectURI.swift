// SPDX-License-Identifier: Apache-2.0

/// An absolute URI without a fragment to which a browser is sent back (RFC 6749 section 3.1.2).
package struct RedirectURI: Sendable, Equatable {
    package let text: String
    let scheme: String
    /// Host in lower case, without the port; empty for custom schemes that have none.
    let host: String
    let port: String
    /// Path and query; `/` stands for none.
    let rest: String

    /// Parses what a client sent; `nil` for relative URIs, fragments, user information, blanks and control characters.
    package init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !text.contains("#"),
            !text.contains("\\"), !text.contains("\""), !text.contains("<"), !text.contains(">"),
            let separator = text.firstRange(of: "://")
        else { return nil }
        scheme = text[..<separator.lowerBound].lowercased()
        guard let first = scheme.first, first.isLetter, !Self.dangerous.contains(scheme),
            scheme.allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        else { return nil }
        let after = text[separator.upperBound...]
        let authority = after.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return nil }
        let tail = after.dropFirst(authority.count)
        rest = tail.isEmpty ? "/" : tail.hasPrefix("?") ? "/" + tail : String(tail)
        (host, port) = Self.hostAndPort(authority)
        guard !host.isEmpty || !["http", "https"].contains(scheme) else { return nil }
        self.text = text
    }

    private static let dangerous: Set<String> = ["javascript", "data", "file", "blob", "vbscript", "about"]

    private static func hostAndPort(_ authority: Substring) -> (String, String) {
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
            return (authority.lowercased(), "")
        }
        return (authority[..<colon].lowercased(), String(authority[authority.index(after: colon)...]))
    }

    /// Whether it leads back to this machine over plain HTTP.
    var isLoopback: Bool { scheme == "http" && ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    func matchesButForPort(_ other: RedirectURI) -> Bool {
        scheme == other.scheme && host == other.host && rest == other.rest
            && (other.port.isEmpty || UInt16(other.port) != nil)
    }

    /// The source expression that lets a form's answer lead there (Content Security Policy, `form-action`).
    var policySource: String {
        guard ["http", "https"].contains(scheme), !host.hasPrefix("[") else { return scheme + ":" }
        return port.isEmpty ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}
