// SPDX-License-Identifier: Apache-2.0
import Testing
import WebPages

@Suite struct TextsTests {
    enum Key: String, TextKey { case greeting, leave }

    static func files(_ changed: [Language: String] = [:]) -> [Language: [UInt8]] {
        var files = Dictionary(
            uniqueKeysWithValues: Language.allCases.map {
                ($0, Array(#"{"greeting": "Hello {name}, {name}!", "leave": "Leave"}"#.utf8))
            })
        for (language, text) in changed { files[language] = Array(text.utf8) }
        return files
    }

    @Test("a placeholder is replaced wherever it stands, and a value is not searched for placeholders")
    func placeholders() throws {
        let texts = try Texts<Key>(Self.files())
        #expect(texts.text(.greeting, in: .english, ["name": "{name}"]) == "Hello {name}, {name}!")
        #expect(texts.text(.greeting, in: .polish, ["name": "Zoë"]) == "Hello Zoë, Zoë!")
        #expect(texts.text(.leave, in: .german) == "Leave")
    }

    @Test("a value that could turn the sentence around is isolated")
    func direction() throws {
        let texts = try Texts<Key>(Self.files())
        #expect(texts.text(.greeting, in: .arabic, ["name": "Ada"]).hasPrefix("Hello \u{2068}Ada\u{2069},"))
        #expect(texts.text(.greeting, in: .english, ["name": "\u{202E}adA"]).contains("\u{2068}\u{202E}adA\u{2069}"))
    }

    @Test(
        "a catalogue with a mistake is refused",
        arguments: [
            (#"{"greeting": "Hallo {name}"}"#, TextsFailure.missingText(.german, key: "leave")),
            (#"{"greeting": "Hallo {name}", "leave": ""}"#, .missingText(.german, key: "leave")),
            (#"{"greeting": "Hallo {name}", "leave": "Ab", "more": "x"}"#, .unknownKey(.german, key: "more")),
            (#"{"greeting": "Hallo", "leave": "Ab"}"#, .otherPlaceholders(.german, key: "greeting")),
            ("[]", .malformed(.german)), ("", .malformed(.german)),
        ])
    func mistakes(file: String, failure: TextsFailure) {
        #expect(throws: failure) { try Texts<Key>(Self.files([.german: file])) }
    }

    @Test("every language needs a file")
    func everyLanguage() {
        var files = Self.files()
        files[.arabic] = nil
        #expect(throws: TextsFailure.missingLanguage(.arabic)) { try Texts<Key>(files) }
    }
}
