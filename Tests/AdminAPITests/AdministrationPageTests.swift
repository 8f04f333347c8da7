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

    /// No engine's list of codes contains the refusals that both engines share, so this test compares the declared
    /// refusals with those that the sources make.
    @Test func `the general refusals are those that the server makes, with their statuses`() throws {
        let text = try CodableSources.files(in: "Sources").map(\.text).joined()
        let made = text.matches(
            of: /(?:OperationRefusal|self\.init)\(\s*"(admin\.[A-Za-z.]+)",\s*status: (\.?[A-Za-z.]+)/)
        let statuses = [
            ".badRequest": 400, ".unauthorized": 401, ".forbidden": 403, ".notFound": 404, ".methodNotAllowed": 405,
            ".conflict": 409, ".preconditionFailed": 412, ".contentTooLarge": 413, ".tooManyRequests": 429,
            ".misdirectedRequest": 421,
        ]
        let declared = GeneralRefusal.all.filter { $0.code.hasPrefix("admin.") }
        #expect(Set(made.map { String($0.output.1) }) == Set(declared.map(\.code)))
        for match in made where match.output.1 != "admin.request" {
            let status = declared.first { $0.code == match.output.1 }?.status
            #expect(statuses[String(match.output.2)] == status, "\(match.output.1)")
        }
    }

    @Test func `a page without one of the tables is refused`() {
        #expect(AdministrationPage.updated("<!-- operations: identity -->\n\n<!-- end -->") == nil)
    }
}
