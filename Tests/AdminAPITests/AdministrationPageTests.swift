// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import TestSupport
import Testing

@Suite struct AdministrationPageTests {
    @Test func `the tables of docs administration md are the operations; scripts pages writes them`() throws {
        let file = URL(filePath: Repository.root + "/docs/administration.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let text = try #require(AdministrationPage.updated(page), "a table is missing")
        if ProcessInfo.processInfo.environment["BATON_WRITE_PAGES"] != nil { try Data(text.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test func `a page without one of the tables is refused`() {
        #expect(AdministrationPage.updated("<!-- operations: identity -->\n\n<!-- end -->") == nil)
    }
}
