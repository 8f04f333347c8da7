// SPDX-License-Identifier: Apache-2.0

/// The host and path of an `https` URL.
struct HTTPSAddress: Equatable {
    /// The host in lower case, without the port.
    let host: String
    let path: String

    /// Parses a URL; returns nil if it has a different scheme, user information, a query or a fragment.
    init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            text.prefix(8).lowercased() == "https://", !text.contains(where: { "@?#\\".contains($0) })
        else { return nil }
        let rest = text.dropFirst(8)
        let authority = rest.prefix { $0 != "/" }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, parts.count == 1 || UInt16(parts[1]) != nil else { return nil }
        host = name.lowercased()
        path = String(rest.dropFirst(authority.count))
    }
}
