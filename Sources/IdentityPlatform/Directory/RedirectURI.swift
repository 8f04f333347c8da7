// SPDX-License-Identifier: Apache-2.0

/// An absolute URI without a fragment, to which a browser is redirected (RFC 6749 section 3.1.2).
///
/// Two forms are accepted: with an authority (`https://app.example/cb`, `msauth.app://auth`), and, for a private scheme
/// that contains a dot, without an authority (`com.example.app:/oauth2redirect`, RFC 8252 section 7.1).
package struct RedirectURI: Sendable, Equatable {
    package let text: String
    let scheme: String
    /// The host in lower case, without the port. Empty if the URI has no host; only a URI with a custom scheme may omit
    /// it.
    let host: String
    let port: String
    /// The path and query; `/` if there is none.
    let rest: String

    /// Parses a client's text; returns nil if ``init(checking:)`` refuses it.
    package init?(_ text: String) {
        guard let uri = try? RedirectURI(checking: text) else { return nil }
        self = uri
    }

    /// Parses a redirect URI, with the rules for URIs that are already registered.
    ///
    /// - Throws: ``RedirectURIProblem``, for example for a relative URI, a fragment, user information, a space or a
    ///   control character.
    init(checking text: String) throws(RedirectURIProblem) {
        guard text.utf8.count <= 2048 else { throw .tooLong }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"\\\"<>".utf8.contains($0) }) else {
            throw .forbiddenCharacter
        }
        guard !text.contains("#") else { throw .fragment }
        guard let colon = text.firstIndex(of: ":") else { throw .relative }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.first, first.isLetter,
            scheme.allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        else { throw .relative }
        guard !Self.dangerous.contains(scheme) else { throw .dangerousScheme }
        let after = text[text.index(after: colon)...]
        guard after.hasPrefix("//") else {
            guard !Self.web.contains(scheme) else { throw .missingHost }
            guard scheme.contains("."), after.hasPrefix("/") else { throw .privateForm }
            (self.scheme, host, port, rest, self.text) = (scheme, "", "", String(after), text)
            return
        }
        let authority = after.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .userInformation }
        let tail = after.dropFirst(2 + authority.count)
        rest = tail.isEmpty ? "/" : tail.hasPrefix("?") ? "/" + tail : String(tail)
        (host, port) = Self.hostAndPort(authority)
        guard !host.isEmpty || !Self.web.contains(scheme) else { throw .missingHost }
        (self.scheme, self.text) = (scheme, text)
    }

    private static let web: Set<String> = ["http", "https"]
    private static let dangerous: Set<String> = ["javascript", "data", "file", "blob", "vbscript", "about"]

    private static func hostAndPort(_ authority: Substring) -> (String, String) {
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
            return (authority.lowercased(), "")
        }
        return (authority[..<colon].lowercased(), String(authority[authority.index(after: colon)...]))
    }

    /// Parses a URI for registration. The rules are stricter than for URIs that are already registered.
    ///
    /// - Throws: ``RedirectURIProblem``, including for a wildcard, a malformed host or port, and plain HTTP to another
    ///   machine (RFC 9700 section 2.6).
    init(registering text: String) throws(RedirectURIProblem) {
        try self.init(checking: text)
        guard !text.contains("*") else { throw .wildcard }
        guard scheme != "http" || isLoopback else { throw .plainHTTP }
        guard port.isEmpty || UInt16(port) != nil else { throw .malformedHost }
        guard !Self.web.contains(scheme) || Self.isHost(host) else { throw .malformedHost }
    }

    private static func isHost(_ host: String) -> Bool {
        let isAddress = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isAddress ? host.dropFirst().dropLast() : Substring(host)
        return !name.isEmpty
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || (isAddress ? ":." : "-._").utf8.contains($0)
            }
    }

    /// Warnings for administrators about a registered URI.
    var warnings: [String] {
        if scheme == "http", !isLoopback {
            return [
                "\(text) receives codes unencrypted. Register a client with an https:// address and remove this client."
            ]
        }
        if text.contains("*") {
            return ["\(text) matches only this exact text, because * is an ordinary character."]
        }
        // The scheme that MSAL uses is unique to the application: it consists of "msal" and the client id.
        guard !Self.web.contains(scheme), !scheme.contains("."), !scheme.hasPrefix("msal") else { return [] }
        return [
            "Any other app may claim the scheme \(scheme). Use one that begins with a domain of yours, as in com.example.app:/oauth2redirect."
        ]
    }

    /// Whether this is a plain HTTP address of the same machine.
    var isLoopback: Bool { scheme == "http" && ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    func matchesButForPort(_ other: RedirectURI) -> Bool {
        scheme == other.scheme && host == other.host && rest == other.rest
            && (other.port.isEmpty || UInt16(other.port) != nil)
    }

    /// The source expression for this URI in a Content Security Policy (`form-action`). With it, the response to a form
    /// may redirect to the URI.
    var policySource: String {
        guard Self.web.contains(scheme), !host.hasPrefix("[") else { return scheme + ":" }
        return port.isEmpty ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}

/// Why a text is not a redirect URI, or why the URI cannot be registered.
package enum RedirectURIProblem: Error, Sendable {
    case tooLong, forbiddenCharacter, fragment, relative, dangerousScheme, missingHost, privateForm, userInformation
    case wildcard, plainHTTP, malformedHost

    /// The problem, phrased as the end of a sentence, and the remedy.
    var words: (cause: String, remedy: String) {
        switch self {
        case .tooLong: ("is longer than 2048 characters", "Register a shorter one.")
        case .forbiddenCharacter:
            ("has a blank, a control character, a character outside ASCII, or one of \\ \" < >", "Percent-encode it.")
        case .fragment: ("has a fragment", "Remove the # and everything after it.")
        case .relative: ("has no scheme", "Begin with https://, or with the scheme of the app.")
        case .dangerousScheme:
            ("has a scheme that browsers run or open themselves", "Use https:// or the app's own.")
        case .missingHost: ("has no host", "Write it as https://app.example/path.")
        case .privateForm:
            (
                "is not an address of a private scheme",
                "Write it as com.example.app:/path, with a dot in the scheme (RFC 8252), or as scheme://name."
            )
        case .userInformation: ("has a user name in front of its host", "Leave out what is before the @.")
        case .wildcard: ("has a *, but addresses are compared exactly", "Register each address separately.")
        case .plainHTTP:
            (
                "would get codes unencrypted",
                "Use https://. http:// is allowed only for localhost, 127.0.0.1 and [::1] (RFC 9700)."
            )
        case .malformedHost: ("has a malformed host or port", "Write it as https://app.example:8443/path.")
        }
    }
}
