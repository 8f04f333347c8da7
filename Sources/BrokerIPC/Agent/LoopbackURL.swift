// SPDX-License-Identifier: Apache-2.0

/// A page of the broker's own listener, `http://127.0.0.1:<port>/…`. ``AgentOrder/open(id:epoch:url:pages:)`` opens no
/// other pages.
///
/// Such a URL cannot be mistaken for an option on the browser's command line, and cannot refer to another machine.
package struct LoopbackURL: Sendable, Equatable {
    /// The URL as text.
    package let text: String

    /// Checks `text`; nil if it is not the URL of such a page, is longer than 2048 bytes, or has a fragment.
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

    /// The scheme, the address and the port.
    package var origin: String {
        String(text.prefix(Self.origin.count + text.dropFirst(Self.origin.count).prefix { $0 != "/" }.count))
    }

    private static let origin = "http://127.0.0.1:"
    /// The characters of RFC 3986 sections 3.3 and 3.4, without those that are special in shells and templates.
    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?=&%+:@,".utf8)
}

extension LoopbackURL: CustomStringConvertible, CustomReflectable {
    /// The origin only, because a program that knows the part after the port can open the page.
    package var description: String { Self.origin + "…" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
