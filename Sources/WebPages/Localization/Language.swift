// SPDX-License-Identifier: Apache-2.0

/// A language in which Baton's pages exist, by its tag (BCP 47).
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case french = "fr"
    case italian = "it"
    case portuguese = "pt"
    case polish = "pl"
    case russian = "ru"
    case german = "de"
    case arabic = "ar"

    /// The direction in which a language is written (HTML, attribute `dir`).
    package enum Direction: String, Sendable {
        case leftToRight = "ltr"
        case rightToLeft = "rtl"
    }

    package var direction: Direction { self == .arabic ? .rightToLeft : .leftToRight }

    /// The language's name in the language itself.
    package var ownName: String {
        switch self {
        case .english: "English"
        case .french: "Français"
        case .italian: "Italiano"
        case .portuguese: "Português"
        case .polish: "Polski"
        case .russian: "Русский"
        case .german: "Deutsch"
        case .arabic: "العربية"
        }
    }

    /// Returns the language of a tag such as `pt-BR` or `de_CH.UTF-8`; nil if there are no pages in this language.
    ///
    /// Only the primary subtag counts (RFC 4647 section 3.4).
    package init?(tag: some StringProtocol) {
        let primary = tag.prefix { $0.isASCII && $0.isLetter }
        let rest = tag[primary.endIndex...]
        guard rest.isEmpty || ["-", "_", ".", "@"].contains(rest.first) else { return nil }
        self.init(rawValue: primary.lowercased())
    }

    /// Returns the language that a list of preferences ranks highest; nil if the list contains no language in which
    /// pages exist.
    ///
    /// - Parameter preferences: the value of `Accept-Language` (RFC 9110 section 12.5.4), or of the space-separated
    ///   parameter `ui_locales` (OpenID Connect Core 1.0 section 3.1.2.1). Only the first 20 entries count.
    package static func preferred(in preferences: String) -> Language? {
        let entries = preferences.split(maxSplits: 20) { $0 == "," || $0 == " " && !preferences.contains(",") }.prefix(
            20)
        let ranked = entries.compactMap { entry -> (language: Language, weight: Double)? in
            let parts = entry.split(separator: ";").map { $0.drop { $0 == " " } }
            guard let tag = parts.first, let language = Language(tag: tag.prefix { $0 != " " }) else { return nil }
            guard let quality = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return (language, 1) }
            guard let weight = Double(quality.dropFirst(2)), weight > 0, weight <= 1 else { return nil }
            return (language, weight)
        }
        // If several elements are equal, `max` returns the first.
        return ranked.max { $0.weight < $1.weight }?.language
    }
}
