// SPDX-License-Identifier: Apache-2.0

/// A text that people read, such as a name: how long it may be, and which characters it may have. A text that is not empty
/// has a visible character.
///
/// Both engines, Graph and the join of a device use it before they store a text. A text that is stored already is not
/// checked again. The lengths of a person's and a group's texts are those of Microsoft Graph, but for an address of mail.
package struct ShownText: Sendable, Equatable {
    private enum Form: Sendable {
        case line
        /// Lines, which may have tabs.
        case lines
        /// An address of mail; or nothing.
        case address
    }

    /// The name of the member that has the text.
    package let name: String
    /// The possible numbers of characters: of Unicode scalars, as JSON Schema counts them.
    package let length: ClosedRange<Int>
    private let form: Form

    private init(_ name: String, _ length: ClosedRange<Int>, form: Form = .line) {
        (self.name, self.length, self.form) = (name, length, form)
    }

    /// The display name of an object of the directory.
    package static let displayName = ShownText("displayName", 1...256)
    package static let givenName = ShownText("givenName", 0...64)
    package static let surname = ShownText("surname", 0...64)
    package static let mail = ShownText("mail", 0...254, form: .address)
    package static let jobTitle = ShownText("jobTitle", 0...128)
    package static let mobilePhone = ShownText("mobilePhone", 0...64)
    package static let description = ShownText("description", 0...1024, form: .lines)
    /// A name that device management keeps.
    package static let managedName = ShownText("name", 1...128)

    /// Whether this text may be stored.
    package func accepts(_ text: String) -> Bool {
        guard length.contains(text.unicodeScalars.count), text.isEmpty || Self.isVisible(text) else { return false }
        switch form {
        case .line: return Self.isPlain(text)
        case .lines: return Self.isPlain(text.filter { $0 != "\n" && $0 != "\t" })
        case .address: return text.isEmpty || Self.isAddress(text)
        }
    }

    /// Whether every character of a text is visible, or at least harmless: no control character, no character that
    /// changes the reading direction, no other invisible one, and none that Unicode never assigns. The joiners U+200C and U+200D are allowed, because
    /// Persian and Indic names need them, and so are the selectors of variants.
    package static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }

    /// Whether a text has a character that people can see: not only spaces, joiners, selectors of variants and blank
    /// symbols.
    package static func isVisible(_ text: String) -> Bool { text.unicodeScalars.contains(where: isVisible) }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return isPlain(scalar) && !properties.isJoinControl && !properties.isVariationSelector
            && !properties.isWhitespace && !blankSymbols.contains(scalar)
    }

    /// Symbols that are drawn as nothing: the braille pattern without dots, and the musical symbol of a null notehead.
    private static let blankSymbols: Set<Unicode.Scalar> = ["\u{2800}", "\u{1d159}"]

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if properties.isJoinControl || properties.isVariationSelector { return true }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: return false
        default: return !properties.isDefaultIgnorableCodePoint && !properties.isNoncharacterCodePoint
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy { $0 > 0x20 && $0 < 0x7f } }
    }

    /// The limits that the OpenAPI document states. A regular expression of JSON Schema cannot name characters above
    /// U+FFFF, so the document does not state these.
    var limits: SchemaLimits { .length(length, pattern) }

    /// The regular expression that the OpenAPI document states (ECMA-262). It does not state the length.
    package var pattern: String {
        switch form {
        case .line: Self.pattern(without: Self.hidden("\\u0000-\\u001f"), mayBeEmpty: length.contains(0))
        case .lines:
            Self.pattern(without: Self.hidden("\\u0000-\\u0008\\u000b-\\u001f"), mayBeEmpty: length.contains(0))
        case .address: "^([!-?A-~]+@[!-?A-~]+)?$"
        }
    }

    /// Returns the pattern of texts with a visible character and without hidden ones.
    private static func pattern(without hidden: String, mayBeEmpty: Bool) -> String {
        let text = "[^\(hidden)]*[^\(hidden)\(blank)][^\(hidden)]*"
        return mayBeEmpty ? "^(\(text))?$" : "^\(text)$"
    }

    /// The range of the plain characters up to U+FFFF that nobody can see.
    private static let blank =
        #"\u0009\u000a\u0020\u00a0\u1680\u180b-\u180d\u180f\u2000-\u200a\u200c\u200d\u202f\u205f\u2800\u3000"#
        + #"\ufe00-\ufe0f"#

    /// Returns the range of the characters up to U+FFFF that are not plain.
    private static func hidden(_ controls: String) -> String {
        controls + #"\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"#
            + #"\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb"#
            + #"\ufffe\uffff"#
    }
}
