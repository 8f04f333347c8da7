// SPDX-License-Identifier: Apache-2.0

/// A list of scopes (RFC 6749 section 3.3), without duplicates, in the order of first appearance.
package struct Scopes: Sendable, Equatable {
    package static let openID = "openid"
    package static let profile = "profile"
    package static let email = "email"
    package static let offlineAccess = "offline_access"
    /// Requests a primary refresh token (MS-OAPXBC).
    package static let primaryRefreshToken = "aza"
    /// Known clients send it together with `aza`; it has no meaning here.
    package static let groups = "ugs"
    /// The suffix of the scope that requests all permissions that a client may have for one resource.
    package static let defaultSuffix = "/.default"

    /// The scopes that the protocols define; they are not permissions for a resource.
    package static let ofProtocols: Set<String> = [
        openID, profile, email, offlineAccess, primaryRefreshToken, groups,
    ]

    package let values: [String]

    /// Whether the list contains a permission for a resource.
    package var namePermissions: Bool { !values.allSatisfy { Self.ofProtocols.contains($0.lowercased()) } }

    package init(_ values: [String]) {
        var seen: Set<String> = []
        self.values = values.filter { seen.insert($0).inserted }
    }

    /// Parses scopes separated by spaces; returns nil for more than 64 scopes or characters that RFC 6749 does not
    /// allow.
    package init?(parsing text: String) {
        let parts = text.split(separator: " ").map(String.init)
        let plain = parts.allSatisfy { part in
            part.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
        }
        guard parts.count <= 64, plain else { return nil }
        self.init(parts)
    }

    package var text: String { values.joined(separator: " ") }

    package func contains(_ scope: String) -> Bool { values.contains(scope) }
}
