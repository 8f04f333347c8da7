// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite struct SessionPageTests {
    @Test func `docs session md is the machine; scripts pages writes it`() async throws {
        _ = await SessionStep.everyOne()
        let file = URL(filePath: Repository.root + "/docs/session.md")
        if ProcessInfo.processInfo.environment["BATON_WRITE_PAGES"] != nil {
            try Data(SessionPage.text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == SessionPage.text)
    }

    @Test func `each condition on the page names something, and no two rows of a cause have the same one`() async throws
    {
        _ = await SessionStep.everyOne()
        for section in SessionPage.text.components(separatedBy: "\n## ") {
            var conditions: Set<[String]> = []
            for row in section.split(separator: "\n") where row.hasPrefix("| `") {
                let columns = row.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                #expect(conditions.insert(Array(columns[1...2])).inserted, "\(row)")
                #expect(!columns[2].contains(/:\s*(,|$)/), "\(row)")
            }
        }
    }
}
