// SPDX-License-Identifier: Apache-2.0

/// A page of the identity platform that a sign-in window may show: the beginning of its path and, after `?`, what its query
/// must contain.
package struct PlatformPage: Sendable, Hashable {
    package let text: String

    /// Returns nil if the text does not begin with a slash, is longer than 512 bytes, or has a character that is
    /// special in Chromium's lists.
    package init?(_ text: String) {
        guard text.hasPrefix("/"), text.utf8.count <= 512, text.utf8.allSatisfy(Self.allowed.contains) else {
            return nil
        }
        self.text = text
    }

    /// The characters of RFC 3986 sections 3.3 and 3.4 that occur in tenants' names and in proof keys.
    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?=&".utf8)
}
