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
}
