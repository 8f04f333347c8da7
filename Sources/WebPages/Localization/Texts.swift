// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The key of a text, which is its name in the files of a catalogue.
package protocol TextKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// A catalogue of texts: every key in every language.
///
/// Each language has one file, a JSON object from key to text. A text can have placeholders, such as `{name}`. To add a
/// language, add a case to ``Language`` and a file; to add a text, add a case to the key and a line to each file.
package struct Texts<Key: TextKey>: Sendable {
    private let texts: [Language: [Key: String]]

    /// Reads the files of a catalogue.
    ///
    /// - Throws: ``TextsFailure`` if a language or a text is missing, a key is unknown, a text is empty, or a text does
    ///   not have the placeholders of the English text.
    package init(_ files: [Language: [UInt8]]) throws(TextsFailure) {
        var texts: [Language: [Key: String]] = [:]
        for language in Language.allCases {
            guard let file = files[language] else { throw .missingLanguage(language) }
            texts[language] = try Self.read(file, language)
        }
        for (language, own) in texts {
            for (key, text) in own
            where Self.placeholders(of: text) != texts[.english]?[key].map(Self.placeholders) {
                throw .otherPlaceholders(language, key: key.rawValue)
            }
        }
        self.texts = texts
    }

    /// Returns the text in a language, with each placeholder replaced by its value.
    ///
    /// The values are inserted unchanged, but a value that could change the direction of the sentence is isolated
    /// (Unicode Standard Annex #9, section 2.4). The caller escapes the result for its page.
    package func text(_ key: Key, in language: Language, _ values: [String: String] = [:]) -> String {
        // The initialiser has refused catalogues in which a text is missing.
        var rest = (texts[language]?[key] ?? key.rawValue)[...]
        var output = ""
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            output += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            output += values[name].map { Self.isolated($0, in: language) } ?? "{\(name)}"
            rest = rest[rest.index(after: close)...]
        }
        return output + rest
    }

    private static func read(_ file: [UInt8], _ language: Language) throws(TextsFailure) -> [Key: String] {
        guard let object = (try? JSONReader.read(file, limits: JSONLimits(bytes: 1 << 18, depth: 2)))?.object else {
            throw .malformed(language)
        }
        var texts: [Key: String] = [:]
        for (name, value) in object {
            guard let key = Key(rawValue: name) else { throw .unknownKey(language, key: name) }
            guard let text = value.string, !text.isEmpty else { throw .missingText(language, key: name) }
            texts[key] = text
        }
        for key in Key.allCases where texts[key] == nil { throw .missingText(language, key: key.rawValue) }
        return texts
    }

    private static func placeholders(of text: String) -> Set<Substring> {
        Set(text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().map { $0.prefix { $0 != "}" } })
    }

    private static func isolated(_ value: String, in language: Language) -> String {
        let isPlain = language.direction == .leftToRight && value.unicodeScalars.allSatisfy { $0.value < 0x590 }
        // U+2068 is the first strong isolate; U+2069 is the pop directional isolate.
        return isPlain ? value : "\u{2068}\(value)\u{2069}"
    }
}

/// Why a catalogue was refused.
package enum TextsFailure: Error, Equatable {
    case missingLanguage(Language)
    /// The file is not a JSON object.
    case malformed(Language)
    case unknownKey(Language, key: String)
    case missingText(Language, key: String)
    case otherPlaceholders(Language, key: String)
}
