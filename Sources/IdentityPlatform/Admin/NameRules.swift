// SPDX-License-Identifier: Apache-2.0

/// Which names objects of the directory may have.
enum NameRules {
    /// Checks the display name of any object.
    ///
    /// - Throws: ``AdminRefusal/badDisplayName``
    static func check(displayName: String) throws(AdminRefusal) {
        guard (1...256).contains(displayName.utf8.count) else { throw .badDisplayName }
    }

    /// Whether a text is `name@domain` of printable ASCII.
    static func isUserName(_ text: String, in domain: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && text.utf8.count <= 256 && parts[1].lowercased() == domain
            && parts[0].utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// Whether a text can stand before the `@` of a group's mail address.
    static func isMailNickname(_ text: String) -> Bool {
        text.utf8.count <= 64 && !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "@") }
    }

    /// Whether a text is a host name of at least two labels.
    static func isDomain(_ text: String) -> Bool {
        text.utf8.count <= 253 && text.split(separator: ".", omittingEmptySubsequences: false).count >= 2
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.utf8.count <= 63 && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            }
    }
}
