// SPDX-License-Identifier: Apache-2.0
import MDMServer
import Storage
import StorageTestSupport
import Testing

@Suite struct ChosenDatabaseTests {
    /// `scripts/tests` requires this test to have run on each database.
    @Test func `the tests of the MDM server use the chosen database`() async throws {
        try await TestMDM.with { fixture in
            let isShared = fixture.management.database.isShared
            #expect(isShared == (EngineDatabase.chosen == .postgresql))
            let version: SQL =
                isShared ? "SELECT version() AS version" : "SELECT 'SQLite ' || sqlite_version() AS version"
            let text: String? = try await fixture.management.database.read { try $0.row(version)?["version"] }
            #expect(text?.hasPrefix(isShared ? "PostgreSQL " : "SQLite ") == true)
        }
    }
}
