// SPDX-License-Identifier: Apache-2.0

/// A redirect URI that identifies an app to the broker, `msauth.<app id>://auth` (INIT-5).
///
/// Linux has no bundle ids. The broker checks against its registry that the app id belongs to the caller.
struct BrokerRedirectURI {
    let text: String

    init(_ text: String?) throws(Fault) {
        guard let text, !text.allSatisfy(\.isWhitespace) else { throw Self.invalid("is missing") }
        if let reason = Self.fault(of: text) { throw Self.invalid(reason) }
        self.text = text
    }

    /// Returns the first problem of `text`; nil if there is none. Problems are checked in the order in which a
    /// developer would fix them (INIT-6).
    private static func fault(of text: String) -> String? {
        let prefix = "msauth."
        guard text.lowercased() != "urn:ietf:wg:oauth:2.0:oob" else { return "is the out-of-band URN" }
        guard let colon = text.firstIndex(of: ":") else { return "has no scheme" }
        let scheme = text[..<colon].lowercased()
        guard scheme != "http", scheme != "https" else { return "is a web address" }
        guard scheme.hasPrefix(prefix), isAppID(scheme.dropFirst(prefix.count)) else {
            return "does not begin with msauth.<app id>"
        }
        guard text[colon...].lowercased() == "://auth" else { return "does not end in ://auth" }
        return nil
    }

    private static func isAppID(_ text: Substring) -> Bool {
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-_".utf8)
        return !text.isEmpty && text.utf8.allSatisfy(allowed.contains)
    }

    private static func invalid(_ reason: String) -> Fault {
        Fault(.redirectURI, detail: "It \(reason).")
    }
}
