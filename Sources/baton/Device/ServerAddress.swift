// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The canonical form of a server's address.
enum ServerAddress {
    /// Returns `https://<host>[:<port>]` in lower case, without the default port.
    ///
    /// - Throws: `ValidationError` for anything with a path, a query or another scheme.
    static func normalised(_ text: String) throws -> String {
        let lower = text.lowercased()
        let address = lower.hasSuffix("/") ? lower.dropLast() : lower[...]
        let authority = address.dropFirst("https://".count)
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        let isPlain =
            authority.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } && !authority.contains { "/?#@\\".contains($0) }
        guard address.hasPrefix("https://"), isPlain, (1...2).contains(parts.count), !parts[0].isEmpty,
            parts.count == 1 || UInt16(parts[1]).map({ $0 > 0 }) == true
        else { throw ValidationError("An address has the form https://host[:port].") }
        return "https://\(parts[0])" + (parts.count == 2 && parts[1] != "443" ? ":\(parts[1])" : "")
    }
}
