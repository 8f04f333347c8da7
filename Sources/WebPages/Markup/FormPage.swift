// SPDX-License-Identifier: Apache-2.0

/// A whole page with a form or a message for a person, in one language. The page contains no code and no style of its
/// own; it loads both from the server that serves it.
package struct FormPage: Sendable {
    /// The addresses of the files that the page loads from its server.
    package struct Addresses: Sendable {
        let stylesheets: [String]
        let scripts: [String]

        package init(stylesheets: [String], scripts: [String] = []) {
            (self.stylesheets, self.scripts) = (stylesheets, scripts)
        }
    }

    package let language: Language
    package let title: String
    package let addresses: Addresses
    /// The organisation's name at the top of the page.
    package var organisation: String?
    /// The address of the organisation's logo.
    package var logo: String?
    /// The line at the top of the page that names the device.
    package var device: String?
    /// The part of the page below the form: the choice of a language.
    package var footer: HTML = ""
    /// The labels of the on-screen keyboard, for pages with text fields.
    package var keyboard: Texts<KeyboardText>?

    package init(_ title: String, in language: Language, loading addresses: Addresses) {
        (self.title, self.language, self.addresses) = (title, language, addresses)
    }

    /// Returns the page's HTML text.
    package func text(_ main: HTML) -> String {
        let head = HTML(
            addresses.stylesheets.map { "<link rel=\"stylesheet\" href=\"\($0)\">\n" }
                + addresses.scripts.map { "<script src=\"\($0)\" defer></script>\n" })
        let page: HTML = """
            <!doctype html>
            <html lang="\(language.rawValue)" dir="\(language.direction.rawValue)"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            \(head)<title>\(title)</title></head><body>
            \(header)<main>
            <h1>\(title)</h1>
            \(main)
            </main>
            \(footer.text.isEmpty ? "" : "<footer>\(footer)</footer>" as HTML)
            \(keyboard.map { Self.keyboard($0, language) })</body>
            </html>
            """
        return page.text
    }

    private var header: HTML? {
        let parts: [HTML?] = [
            logo.map { "<img src=\"\($0)\" alt=\"\">" }, organisation.map { "<p class=\"organisation\">\($0)</p>" },
            device.map { "<p class=\"device\">\($0)</p>" },
        ]
        let found = parts.compactMap(\.self)
        return found.isEmpty ? nil : "<header>\(found)</header>\n"
    }

    /// The place of the on-screen keyboard, which the script fills.
    private static func keyboard(_ texts: Texts<KeyboardText>, _ language: Language) -> HTML {
        let labels = KeyboardText.allCases.filter { $0 != .keyboard }.map { key in
            " data-\(key.rawValue)=\"\(texts.text(key, in: language))\"" as HTML
        }
        let name = texts.text(.keyboard, in: language)
        return "<div id=\"keyboard\" dir=\"ltr\" role=\"group\" aria-label=\"\(name)\"\(labels) hidden></div>\n"
    }
}
