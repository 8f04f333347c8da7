// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI

/// The rules for names of directory objects.
enum NameRules {
    /// Checks the display name of an object.
    ///
    /// - Throws: ``AdminRefusal/badDisplayName``
    static func check(displayName: String) throws(AdminRefusal) {
        guard ShownText.displayName.accepts(displayName) else { throw .badDisplayName }
    }

    /// Checks any other text that people read; nil is allowed.
    ///
    /// - Throws: ``NamedRefusal`` `badText`
    static func check(_ kind: ShownText, _ text: String?) throws {
        guard let text, !kind.accepts(text) else { return }
        throw AdminRefusal.badText.naming(
            "\(kind.name) is too long, has a control or invisible character or nothing visible, or has another form than it must have.",
            "Use at most \(kind.length.upperBound) visible characters"
                + (kind == .mail ? " of the form name@domain." : "."))
    }

    /// Checks those texts of a person's profile that differ from the former profile.
    ///
    /// - Throws: ``AdminRefusal/badDisplayName``, ``NamedRefusal`` `badText`
    static func check(_ profile: User.Profile, after former: User.Profile? = nil) throws {
        if profile.displayName != former?.displayName { try check(displayName: profile.displayName) }
        let texts: [(ShownText, KeyPath<User.Profile, String?>)] = [
            (.givenName, \.givenName), (.surname, \.surname), (.mail, \.mail), (.jobTitle, \.jobTitle),
            (.mobilePhone, \.mobilePhone),
        ]
        for (kind, member) in texts where profile[keyPath: member] != former?[keyPath: member] {
            try check(kind, profile[keyPath: member])
        }
    }

    /// Returns whether a text is `name@domain` in printable ASCII.
    static func isUserName(_ text: String, in domain: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && text.utf8.count <= 256 && parts[1].lowercased() == domain
            && parts[0].utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// Returns whether a text can be the part of a group's mail address before the `@`.
    static func isMailNickname(_ text: String) -> Bool {
        text.utf8.count <= 64 && !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "@") }
    }

    /// Returns whether a text is a host name with at least two labels.
    static func isDomain(_ text: String) -> Bool {
        text.utf8.count <= 253 && text.split(separator: ".", omittingEmptySubsequences: false).count >= 2
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.utf8.count <= 63 && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            }
    }
}
