// SPDX-License-Identifier: Apache-2.0
import Testing
import WebPages

@Suite struct HTMLTests {
    @Test func `an interpolated value remains text, even with combining characters`() {
        let hostile = "\"\u{301} onfocus='x' <\u{301}b>&"
        let html: HTML = "<p title=\"\(hostile)\">\(hostile)</p>"
        let scalars = html.text.unicodeScalars.filter { $0 != "\u{301}" }
        let escaped = "&quot; onfocus=&#39;x&#39; &lt;b&gt;&amp;"
        #expect(String(String.UnicodeScalarView(scalars)) == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    @Test func `pieces of HTML are inserted unchanged, and a missing one leaves nothing`() {
        let piece: HTML = "<b>\("1 < 2")</b>"
        let none: HTML? = nil
        #expect(("\(piece)\(none)\([piece, piece])" as HTML).text == String(repeating: "<b>1 &lt; 2</b>", count: 3))
    }

    @Test(arguments: Language.allCases) func `a page has its language and direction, and no inline code`(
        language: Language
    ) throws {
        var page = FormPage(
            "<title>", in: language,
            loading: FormPage.Addresses(stylesheets: ["/a.css"], scripts: ["/a.js"]))
        page.organisation = "Contoso <Clinics>"
        page.keyboard = try KeyboardText.catalogue.get()
        let text = page.text("<p>Main</p>")
        #expect(text.contains("<html lang=\"\(language.rawValue)\" dir=\"\(language.direction.rawValue)\">"))
        #expect(text.contains("<title>&lt;title&gt;</title>") && text.contains("Contoso &lt;Clinics&gt;"))
        #expect(text.contains("<script src=\"/a.js\" defer></script>") && text.contains("href=\"/a.css\""))
        #expect(!text.contains("<style") && !text.contains("<script>") && !text.contains("style=\""))
        #expect(text.contains("id=\"keyboard\"") && text.contains("data-erase=\""))
    }
}
