// SPDX-License-Identifier: Apache-2.0

/// An absolute `https` URL without user name, query and fragment.
package struct ServerURL: Sendable, Hashable {
    /// `https://<host>[:<port>]` in lower case, without the default port.
    package let origin: String
    /// The path without a slash at its end; empty for the root.
    package let path: String

    package var text: String { origin + path }

    /// Parses a URL; returns nil if it has another scheme or another form.
    package init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            text.prefix(8).lowercased() == "https://", !text.contains(where: { "@?#\\%".contains($0) })
        else { return nil }
        let rest = text.dropFirst(8)
        let authority = rest.prefix { $0 != "/" }
        let parts = authority.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let host = parts.first, !host.isEmpty else { return nil }
        var origin = "https://\(host)"
        if parts.count == 2 {
            guard parts[1].allSatisfy(\.isNumber), let port = UInt16(parts[1]), port > 0 else { return nil }
            if port != 443 { origin += ":\(port)" }
        }
        self.origin = origin
        var path = rest.dropFirst(authority.count)
        while path.last == "/" { path.removeLast() }
        self.path = String(path)
    }

    /// Parses the address of a server's administration.
    ///
    /// - Throws: ``CommandFailure`` `url_not_https` or `url_malformed`.
    package init(administration text: String) throws {
        guard text.prefix(8).lowercased() == "https://" else {
            throw CommandFailure(
                code: "url_not_https",
                message: "The address of the administration does not begin with https://, so a connection to it would "
                    + "not be protected.",
                remedy: "Give --url https://HOST:PORT.")
        }
        guard let url = ServerURL(text), url.path.isEmpty else {
            throw CommandFailure(
                code: "url_malformed", message: "The address of the administration is malformed.",
                remedy: "Give --url https://HOST:PORT, without a path.")
        }
        self = url
    }
}
