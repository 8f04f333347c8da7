// SPDX-License-Identifier: Apache-2.0
internal import WebPages

/// The language of the device, for a person who has not chosen a language.
struct HomeLocale {
    let language: Language
    /// The tag (BCP 47) for formatting times in the device's language as the device does, such as `en-GB`.
    let tag: String

    /// - Parameter name: a name of locale(1), such as `de_CH.UTF-8`. English is used for a language without texts.
    init(_ name: String) {
        // Browsers write `de_CH` as `de-CH`.
        let tag = String(name.prefix { $0 != "." && $0 != "@" }).replacing("_", with: "-")
        language = Language(tag: tag) ?? .english
        self.tag = Language(tag: tag) == nil ? language.rawValue : tag
    }
}

extension HomeScreen.Start {
    var locale: HomeLocale { HomeLocale(language) }
}
