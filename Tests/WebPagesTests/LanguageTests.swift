// SPDX-License-Identifier: Apache-2.0
import Testing
import WebPages

@Suite struct LanguageTests {
    @Test(
        "a tag names a language by its primary subtag",
        arguments: [
            ("de", Language.german), ("de-CH", .german), ("pt_BR.UTF-8", .portuguese), ("AR", .arabic), ("C", nil),
            ("den", nil), ("", nil), ("de~x", nil), ("日本", nil),
        ])
    func tag(text: String, language: Language?) {
        #expect(Language(tag: text) == language)
    }

    @Test(
        "the language with the highest weight wins, and the first of equals",
        arguments: [
            ("fr-CH, fr;q=0.9, en;q=0.8", Language.french), ("ja, it;q=0.4, pl;q=0.5", .polish), ("de, fr", .german),
            ("ru;q=0, en;q=0.1", .english), ("nl, sv;q=0.5", nil), ("*", nil), ("", nil), ("ar;q=x", nil),
            ("ja fr de", .french), ("it;q=1.5, pl", .polish), (String(repeating: "nl,", count: 20) + "de", nil),
        ])
    func preferences(text: String, language: Language?) {
        #expect(Language.preferred(in: text) == language)
    }
}
