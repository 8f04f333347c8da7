// SPDX-License-Identifier: Apache-2.0

/// A page of the broker's own listener, the only kind of page that the agent opens: `http://127.0.0.1:<port>/…`.
///
/// It cannot be mistaken for an option of the browser's command line, and it names no other machine.
package struct LoopbackURL: Sendable, Equatable {
    /// The URL as text.
    package let text: String

    /// Checks `text`; nil unless it is such a URL of at most 2048 bytes, without fragment.
    package init?(_ text: String) {
        guard text.utf8.count <= 2048, text.hasPrefix(Self.origin) else { return nil }
        let rest = text.dropFirst(Self.origin.count)
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        let port = rest[..<slash]
        guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            port.first != "0", UInt16(port) != nil
        else { return nil }
        guard rest[slash...].utf8.allSatisfy(Self.allowed.contains) else { return nil }
        self.text = text
    }

    private static let origin = "http://127.0.0.1:"
    /// RFC 3986 section 3.3 and 3.4, less what shells and templates treat as special.
    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?=&%+:@,".utf8)
}

extension LoopbackURL: CustomStringConvertible, CustomReflectable {
    /// The origin alone: what follows the port is a capability.
    package var description: String { Self.origin + "…" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
